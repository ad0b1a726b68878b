/** The catalogue at one version. */
export interface Schema {
  readonly version: string;
  /** Tables and views by name, in catalogue order. */
  readonly tables: ReadonlyMap<string, Table>;
}

/** What a name in the catalogue is; a `shadow` table belongs to a virtual one. */
export type TableKind = "table" | "view" | "virtual" | "shadow";

/** A table or view of the catalogue. */
export interface Table {
  readonly name: string;
  readonly kind: TableKind;
  /** The statement that made it, as stored; null for what the engine made itself. */
  readonly sql: string | null;
  readonly columns: readonly Column[];
  /** In the order of the PRIMARY KEY clause; empty when none was declared, and for views. */
  readonly primaryKeys: readonly string[];
  /** False for WITHOUT ROWID tables and views. */
  readonly hasRowid: boolean;
  /** The name that reaches the rowid: `rowid`, or `_rowid_`/`oid` where a column took that name; null if none. */
  readonly rowidName: string | null;
  /** Keys this table declares, in `PRAGMA foreign_key_list` order (last declared first). */
  readonly foreignKeys: readonly ForeignKey[];
  /** Keys of other tables that point here. */
  readonly incoming: readonly IncomingKey[];
  readonly indexes: readonly Index[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
  /** The full-text index over this table, or the table itself when it is one. */
  readonly fullText: FullText | null;
  /** For shadow tables: the virtual table they belong to. */
  readonly shadowOf: string | null;
  /** For virtual tables: the module, in lower case (`fts5`, `rtree`). */
  readonly module: string | null;
  /** Root page in the file, null for views and virtual tables. */
  readonly rootPage: number | null;
}

/** A column of a table or view. */
export interface Column {
  readonly name: string;
  /** As declared; empty when nothing was. */
  readonly type: string;
  readonly affinity: "integer" | "real" | "numeric" | "text" | "blob";
  readonly notNull: boolean;
  /** SQL text of the default, null when there is none. */
  readonly defaultSql: string | null;
  /** Position in the primary key from 1, 0 when not part of it. */
  readonly primaryKeyPosition: number;
  /** Of a virtual table: not part of `select *`. */
  readonly hidden: boolean;
  readonly generated: "no" | "virtual" | "stored";
}

/** A key that leads to another table, column by column. */
export interface ForeignKey {
  readonly columns: readonly string[];
  readonly otherTable: string;
  /** The target's columns; its primary key where the declaration named none. */
  readonly otherColumns: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** The same seen from its target: `columns` are the target's own, `otherTable` and `otherColumns` point at them. */
export interface IncomingKey {
  readonly columns: readonly string[];
  readonly otherTable: string;
  readonly otherColumns: readonly string[];
}

/** An index of a table, those the engine made for a constraint included. */
export interface Index {
  readonly name: string;
  readonly unique: boolean;
  /** `c` made by CREATE INDEX, `u` by UNIQUE, `pk` by PRIMARY KEY. */
  readonly origin: "c" | "u" | "pk";
  readonly partial: boolean;
  /** null stands for an expression. */
  readonly columns: readonly (string | null)[];
  readonly sql: string | null;
  readonly rootPage: number | null;
}

/** A full-text index. */
export interface FullText {
  /** The full-text table. */
  readonly table: string;
  /** The table it indexes; null for a stand-alone or contentless one. */
  readonly contentTable: string | null;
  readonly module: "fts3" | "fts4" | "fts5";
}
