/** The affinity of a column: how its database converts values. */
export type Affinity = "integer" | "real" | "numeric" | "text" | "blob";

/** A column that can be imported into. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly affinity: Affinity;
  /** True if a row needs a value. */
  readonly required: boolean;
  readonly key: boolean;
}

/** A table into which the user may insert. */
export interface TableFacts {
  readonly name: string;
  readonly url: string;
  readonly columns: readonly TableColumn[];
  /** The columns that identify a row. */
  readonly keys: readonly string[];
  /** True if rows with a key that exists may be changed. */
  readonly mayUpdate: boolean;
  readonly mayAlter: boolean;
  /** True if inserted rows can be deleted again by the same actor. */
  readonly mayUndo: boolean;
}

/** The largest batch that the server accepts, by which an import is undone in parts. */
export interface BatchLimits {
  readonly operations: number;
  readonly characters: number;
}

/** A database, for the actor of a request. */
export interface DatabaseFacts {
  readonly url: string;
  /** True if the actor may create a table and fill it. */
  readonly mayCreate: boolean;
  /** True if the actor may drop what was created. */
  readonly mayDrop: boolean;
  /** Tables into which the actor may insert, by name and address. */
  readonly tables: readonly (readonly [name: string, url: string])[];
  /** Tables to which a new column may refer, all with a key of one column. */
  readonly referable: readonly string[];
  readonly batches: BatchLimits;
  /** True if an integer column stores other numbers unchanged. */
  readonly mixesNumbers: boolean;
}

/** What the server tells the script of a page. */
export interface PageFacts {
  readonly database: DatabaseFacts;
  /** The table of the page; null if the file becomes a table. */
  readonly table: TableFacts | null;
}
