import type { Affinity } from "./check/kinds.js";

/** A column that can be imported into. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly affinity: Affinity;
  readonly required: boolean;
  readonly key: boolean;
}

/** A table into which the user may insert. */
export interface TableFacts {
  readonly name: string;
  readonly url: string;
  readonly columns: readonly TableColumn[];
  readonly keys: readonly string[];
  readonly mayUpdate: boolean;
  readonly mayAlter: boolean;
  readonly mayUndo: boolean;
}

/** The largest batch that the server accepts. */
export interface BatchLimits {
  readonly operations: number;
  readonly characters: number;
}

/** What the server says of the database. */
export interface DatabaseFacts {
  readonly url: string;
  readonly mayCreate: boolean;
  readonly mayDrop: boolean;
  readonly tables: readonly (readonly [name: string, url: string])[];
  readonly referable: readonly string[];
  readonly batches: BatchLimits;
}

/** What the server says of the page. */
export interface PageFacts {
  readonly database: DatabaseFacts;
  /** The table of the page; null if the file becomes a table. */
  readonly table: TableFacts | null;
}

/** The facts of a table of the database. @throws Error */
export async function fetchTable(url: string): Promise<TableFacts> {
  const response = await fetch(`${url}/-/import.json`, { cache: "no-store" });
  if (!response.ok) throw new Error(response.statusText);
  return (await response.json()) as TableFacts;
}
