/** What a statement does, determined without running it. */
export interface Analysis {
  readonly kind: "select" | "insert" | "update" | "delete" | "schema" | "explain" | "pragma" | "unknown";
  /** Names of the tables and virtual tables that it reads; null if the engine cannot determine them. */
  readonly reads: readonly string[] | null;
  /** Names of the tables that it changes; null if the engine cannot determine them. */
  readonly writes: readonly string[] | null;
  /** Named parameters without their prefix, in order of appearance. */
  readonly parameters: readonly string[];
}

/**
 * False for an engine that can't tell which tables a statement reads and changes. Its functions and its syntax may use
 * any table.
 *
 * @example
 * await findsTables(rowhouse.database("library")); // true
 */
export const findsTables = async (database: { analyse(sql: string): Promise<Analysis> }): Promise<boolean> =>
  (await database.analyse("select 1")).reads !== null;
