import { isPrivateTable, isSameName } from "../names/index.js";

/** The tables and views of a database at one version. */
export interface Schema {
  readonly version: string;
  /** Tables and views by name, in catalogue order. */
  readonly tables: ReadonlyMap<string, Table>;
}

/** The kind of a table. A `shadow` table stores the data of a virtual table. */
export type TableKind = "table" | "view" | "virtual" | "shadow";

/** A table or view of the catalogue. */
export interface Table {
  readonly name: string;
  readonly kind: TableKind;
  /** The CREATE statement as stored; null for tables that the engine created. */
  readonly sql: string | null;
  readonly columns: readonly Column[];
  /** In the order of the PRIMARY KEY clause; empty when none was declared, and for views. */
  readonly primaryKeys: readonly string[];
  /** False for WITHOUT ROWID tables and views. */
  readonly hasRowid: boolean;
  /** The name of the rowid: `rowid`, or `_rowid_` or `oid` if a column has that name; null if all are taken. */
  readonly rowidName: string | null;
  /** Its foreign keys in the order of `PRAGMA foreign_key_list` (last declared first). */
  readonly foreignKeys: readonly ForeignKey[];
  /** Foreign keys of other tables that reference this one. */
  readonly incoming: readonly IncomingKey[];
  readonly indexes: readonly Index[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
  /** The full-text index of this table, or the table itself if it is one. */
  readonly fullText: FullText | null;
  /** Other tables whose rows are read with those of this one, because they inherit from it; absent if there are none. */
  readonly inheritingTables?: readonly string[];
  /** True if several of its rows can have the same place, as in partitions; absent for others. */
  readonly sharesPlaces?: boolean;
  /**
   * For views: the tables and views that it reads directly; null if it can read others, for example by a function. Absent
   * if all that it reads is named in `sql`.
   */
  readonly reads?: readonly string[] | null;
  /** True if its rows have stored values in columns that are not listed; absent for others. */
  readonly hasUnlistedValues?: boolean;
  /** True if the key may be checked at the end of a transaction, so that ON CONFLICT can't use it; absent for others. */
  readonly deferrableKey?: boolean;
  /** For shadow tables: the virtual table they belong to. */
  readonly shadowOf: string | null;
  /** For virtual tables: the module, in lower case (`fts5`, `rtree`). `foreign` for tables of other servers. */
  readonly module: string | null;
  /** Root page in the file, null for views and virtual tables. */
  readonly rootPage: number | null;
}

/** A column of a table or view. */
export interface Column {
  readonly name: string;
  /** The declared type; empty if there is none. */
  readonly type: string;
  /** The type behind a domain, without its name; absent if the column has none. */
  readonly baseType?: string;
  /** The values of an enumerated type, in order. */
  readonly enumValues?: readonly string[];
  /** True if its collation takes some different texts as equal, so that patterns need another one; absent for others. */
  readonly looseCollation?: boolean;
  /** True if its type has no empty text, as `date` of PostgreSQL; absent for others. */
  readonly lacksEmptyText?: boolean;
  readonly affinity: "integer" | "real" | "numeric" | "text" | "blob";
  readonly notNull: boolean;
  /** The default as SQL; null if there is none. */
  readonly defaultSql: string | null;
  /** The position in the primary key from 1 on; 0 for other columns. */
  readonly primaryKeyPosition: number;
  /** True if the engine assigns the values of the column from a sequence; absent for rowids. */
  readonly isAssigned?: boolean;
  /** True for hidden columns of virtual tables, which `select *` leaves out. */
  readonly hidden: boolean;
  readonly generated: "no" | "virtual" | "stored";
}

const columnsByName = new WeakMap<Table, ReadonlyMap<string, Column>>();

/**
 * The column of a table with exactly this name; undefined for the rowid and for unknown names. The names are kept by
 * table: a request may have a thousand filters on a table of two thousand columns.
 *
 * @example
 * columnOf(table, "title")?.affinity; // "text"
 */
export function columnOf(table: Table, name: string): Column | undefined {
  let columns = columnsByName.get(table);
  if (columns === undefined) {
    columns = new Map(table.columns.map((column) => [column.name, column]));
    columnsByName.set(table, columns);
  }
  return columns.get(name);
}

/**
 * True if statements can name this column, in any spelling of letters, or it is the rowid.
 *
 * @example
 * hasColumn(table, "TITLE"); // true
 */
export const hasColumn = ({ columns, rowidName }: Table, column: string): boolean =>
  columns.some(({ name }) => isSameName(name, column)) ||
  (rowidName !== null && isSameName(rowidName, column));

/**
 * True for a column of a table that has no type, or a type for all values, like all columns of full-text tables. SQLite
 * compares its numbers with numbers only, and the text of an argument is none.
 *
 * @example
 * isUntyped(table, "title"); // false
 */
export const isUntyped = (table: Table, name: string): boolean =>
  table.kind !== "view" && columnOf(table, name)?.affinity === "blob";

/**
 * True for any name of the rowid, including an INTEGER PRIMARY KEY: its values are integers, and never NULL.
 *
 * @example
 * isRowid(table, "id"); // true
 */
export function isRowid(table: Table, name: string): boolean {
  const column = table.columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (column === undefined) return /^(?:_?rowid_?|oid)$/i.test(name);
  const isOnlyKey = table.primaryKeys.length === 1 && table.primaryKeys[0] === column.name;
  return table.hasRowid && isOnlyKey && column.type.toLowerCase() === "integer";
}

/**
 * True for tables whose rows clients with permission can write; false for views, shadow tables, tables of SQLite such as
 * `sqlite_sequence`, and private tables.
 *
 * @example
 * acceptsWrites({ name: "books", kind: "table" }); // true
 * acceptsWrites({ name: "sqlite_sequence", kind: "table" }); // false
 */
export const acceptsWrites = ({ name, kind }: Pick<Table, "name" | "kind">): boolean =>
  (kind === "table" || kind === "virtual") &&
  !name.toLowerCase().startsWith("sqlite_") &&
  !isPrivateTable(name);

/** A foreign key. */
export interface ForeignKey {
  /** The name of its constraint; absent in engines without such names, and for keys that are only recorded. */
  readonly name?: string;
  readonly columns: readonly string[];
  readonly otherTable: string;
  /** The referenced columns; the primary key if the declaration names none. */
  readonly otherColumns: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** A foreign key of another table: `otherColumns` of `otherTable` reference `columns` of this table. */
export interface IncomingKey {
  readonly columns: readonly string[];
  readonly otherTable: string;
  readonly otherColumns: readonly string[];
}

/** An index of a table, also one that the engine created for a constraint. */
export interface Index {
  readonly name: string;
  readonly unique: boolean;
  /** Created by CREATE INDEX (`c`), UNIQUE (`u`) or PRIMARY KEY (`pk`). */
  readonly origin: "c" | "u" | "pk";
  readonly partial: boolean;
  /** null for an expression. */
  readonly columns: readonly (string | null)[];
  readonly sql: string | null;
  readonly rootPage: number | null;
}

/** A full-text index. */
export interface FullText {
  /** The full-text table. */
  readonly table: string;
  /** The indexed table; null for an index with content of its own, and for a contentless one. */
  readonly contentTable: string | null;
  readonly module: "fts3" | "fts4" | "fts5" | "tsvector";
  /** The column with the words, in engines that store them in a column of the table. */
  readonly vector?: string;
  /** The columns with the text, in engines that store the words in the table. */
  readonly columns?: readonly string[];
  /** How the text is split into words: `english`, `porter unicode61`; absent if the index does not say. */
  readonly configuration?: string;
}
