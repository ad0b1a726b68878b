import type { SqlParams } from "./values.js";

/** A step of a statement whose cost grows with the size of a table. */
export interface CostlyStep {
  /** `scan` reads every row of a table, `sort` sorts rows before the first is returned. */
  readonly kind: "scan" | "sort";
  /** The table that is scanned; null for a sort. */
  readonly table: string | null;
  /** What the sort is for; null for a scan. */
  readonly purpose: "order by" | "group by" | "distinct" | null;
  /** An index that could replace the step; null if no index would help, or none is known. */
  readonly index: SuggestedIndex | null;
}

/** An index that does not exist yet. */
export interface SuggestedIndex {
  readonly table: string;
  readonly columns: readonly string[];
  /** The CREATE INDEX statement. */
  readonly sql: string;
}

/** A column of an index. */
export interface IndexedColumn {
  readonly name: string;
  readonly descending: boolean;
}

/** A statement as it ran, to find out later what it cost. */
export interface StatementRun {
  readonly database: string;
  readonly sql: string;
  readonly params: SqlParams;
  readonly trust: "trusted" | "untrusted";
}
