import { WriteRejected } from "rowhouse/plugin-api";
import { Arguments } from "./arguments.js";
import type { JsonObject } from "./json-value.js";

/** What a new column is besides its name and type. */
export interface ColumnOptions {
  /** NOT NULL and DEFAULT, as SQL. */
  readonly constraints?: readonly string[];
  /** Where it points. */
  readonly references?: ColumnReference;
}

export interface ColumnReference {
  readonly table: string;
  /** Null for the primary key. */
  readonly otherColumn: string | null;
}

/** Reads `not_null`, `default`, `default_expr`, `fk_table` and `fk_column`; other keys mean nothing. @throws WriteRejected */
export function columnOptions(column: JsonObject): ColumnOptions {
  const args = new Arguments(column);
  const defaultSql = args.defaultSql() ?? null;
  const constraints = [
    ...(args.flag("not_null") === true ? ["NOT NULL"] : []),
    ...(defaultSql === null ? [] : [`DEFAULT ${defaultSql}`]),
  ];
  if (args.has("fk_table")) {
    const references = { table: args.name("fk_table"), otherColumn: args.optionalName("fk_column") };
    return { constraints, references };
  }
  if (args.has("fk_column")) throw new WriteRejected(['"fk_column" needs "fk_table"']);
  return { constraints };
}
