import type { Table } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import type { CarriedType } from "./carried-value.js";

/** A table as it is read: its columns, preceded by the rowid if it has no other key. */
export interface SourceTable {
  /** With the names of columns in the target. */
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rowid is copied as first column, `rowid`. */
  readonly hasOwnKey: boolean;
  /** The statement that reads all rows. */
  readonly sql: string;
}

/** A table to copy, with the types of its columns in the target. */
export interface TableCopy extends SourceTable {
  readonly types: readonly CarriedType[];
}

/** How a table is read. A column named `rowid` leaves no room for the rowid. @param renamed the table in the target */
export function sourceOf(
  { quoteIdentifier, definitions }: Dialect,
  table: Table,
  renamed: Table,
): SourceTable {
  const hasOwnKey = renamed.primaryKeys.length === 0 && renamed.rowidName === "rowid";
  const withKey = ({ columns }: Table): readonly string[] => [
    ...(hasOwnKey ? ["rowid"] : []),
    ...columns.filter(({ hidden }) => !hidden).map(({ name }) => name),
  ];
  const list = withKey(table).map(quoteIdentifier).join(", ");
  const sql = `select ${list} from ${definitions.ownRows(table)}`;
  return { table: renamed, columns: withKey(renamed), hasOwnKey, sql };
}

/** A table whose key is only unique. */
export const withoutKey = (table: Table): Table => ({
  ...table,
  primaryKeys: [],
  indexes: table.indexes.map((index) => (index.origin === "pk" ? { ...index, origin: "u" } : index)),
});
