import { defineRoute, type Column, type Table } from "rowhouse/plugin-api";
import { referableTables } from "rowhouse/plugin-api/access";
import { columnOf, type Definitions, type NewColumnType } from "rowhouse/plugin-api/engine";
import { okReply } from "../json/body.js";

/** `GET /<database>/-/foreign-key-targets`: the tables that columns of a new table can reference. */
export const foreignKeyTargetsRoute = defineRoute<"database">({
  name: "foreign-key-targets",
  path: "/:database/-/foreign-key-targets",
  target: "database",
  requires: ({ database }) => [["create-table", database]],
  async view({ rowhouse, actor, target: { database } }) {
    const targets = keysOf(await referableTables(rowhouse, actor, database)).map(({ table, column }) => ({
      fk_table: table.name,
      fk_column: column.name,
      type: newTypeFor(database.dialect.definitions, column),
    }));
    return okReply({ database: database.name, targets });
  },
});

/** A table with its key of one column. */
export interface KeyedTable {
  readonly table: Table;
  readonly column: Column;
}

/** The tables with their keys. */
export const keysOf = (tables: readonly Table[]): readonly KeyedTable[] =>
  tables.flatMap((table) => {
    const column = columnOf(table, table.primaryKeys[0] ?? "");
    return column === undefined ? [] : [{ table, column }];
  });

const TYPES: Readonly<Record<Column["affinity"], NewColumnType>> = {
  integer: "integer",
  real: "float",
  // An INTEGER column of SQLite stores other numbers, dates and texts unchanged.
  numeric: "integer",
  text: "text",
  blob: "blob",
};

/** The type of a new column that references the key; null if new columns have no such type. */
const newTypeFor = (definitions: Definitions, column: Column): NewColumnType | null =>
  hasOwnType(definitions, column) ? null : TYPES[column.affinity];

/**
 * True for a column whose type only columns of the same type can reference, such as a UUID or text without regard to case.
 * The length of its values has no effect: a text can reference a `varchar(9)`.
 */
export function hasOwnType({ isSpecialType, caseInsensitive }: Definitions, column: Column): boolean {
  if (isSpecialType === undefined) return false;
  const type = column.type.replace(/\([\d,]+\)$/, "");
  return isSpecialType({ ...column, type }) || caseInsensitive.isDeclared(type);
}
