import { quoteIdentifier } from "rowhouse/plugin-api";
import { storableText } from "./cell-values.js";

export type ColumnType = "text" | "integer" | "float" | "blob";

export const columnTypes: readonly ColumnType[] = ["text", "integer", "float", "blob"];

/** How a type stands in CREATE TABLE. */
export const declaredTypes: Readonly<Record<ColumnType, string>> = {
  text: "TEXT",
  integer: "INTEGER",
  float: "FLOAT",
  blob: "BLOB",
};

/** New tables show their names in brackets, except where those could not hold them. */
export const declaredName = (name: string): string =>
  storableText(name).includes("]") ? quoteIdentifier(name) : `[${name}]`;
