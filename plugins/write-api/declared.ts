import { quoteIdentifier, WriteRejected } from "rowhouse/plugin-api";
import { storableText } from "./cell-values.js";
import { storedJson } from "./json-value.js";
import type { JsonValue } from "./json-value.js";

export type ColumnType = "text" | "integer" | "float" | "blob";

const columnTypes: readonly ColumnType[] = ["text", "integer", "float", "blob"];

/** @throws WriteRejected for what is no column type */
export function columnType(type: JsonValue): ColumnType {
  const known = columnTypes.find((one) => one === type);
  if (known !== undefined) return known;
  throw new WriteRejected([`Unsupported column type: ${typeof type === "string" ? type : storedJson(type)}`]);
}

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
