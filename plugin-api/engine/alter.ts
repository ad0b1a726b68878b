import type { Column, ForeignKey, Table } from "./schema.js";

/** The statements with which an engine changes a table. It checks by itself that rows and views still fit. */
export interface AlterDefinitions {
  addColumn(table: Table, column: AddedColumn): string;
  renameColumn(table: Table, column: string, to: string): string;
  alterColumn(table: Table, column: Column, changes: ColumnChange): readonly string[];
  dropColumn(table: Table, column: string): string;
  /** @param columns without columns, the engine assigns a key of its own */
  setPrimaryKey(table: Table, columns: readonly string[]): readonly string[];
  /** Null for a key that is only recorded. */
  dropForeignKey(table: Table, key: ForeignKey): string | null;
  /** @param constraint `CHECK (…)`, perhaps with a name before it */
  addConstraint(table: Table, constraint: string): string;
  dropConstraint(table: Table, name: string): string;
  renameTable(table: Table, to: string): string;
}

/** The types of new columns, as the API names them. */
export type NewColumnType = "text" | "integer" | "float" | "blob";

/** A column to be added at the end of a table. */
export interface AddedColumn {
  readonly name: string;
  readonly type: NewColumnType;
  readonly notNull: boolean;
  /** SQL of the default; null for none. */
  readonly defaultSql: string | null;
  /** SQL of the only values that a CHECK allows; null for any. */
  readonly choices: readonly string[] | null;
}

/** Changes to a column; null and undefined mean no change. */
export interface ColumnChange {
  readonly type: NewColumnType | null;
  readonly notNull: boolean | null;
  /** SQL of the default; null removes it. */
  readonly defaultSql: string | null | undefined;
  /** SQL of the only values that a CHECK allows; null removes the CHECK. */
  readonly choices: readonly string[] | null | undefined;
}
