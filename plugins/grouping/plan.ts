import type { RowSet, Visit } from "rowhouse/plugin-api";
import type { Selection } from "rowhouse/plugin-api/contracts";
import type { Grouping } from "./arguments.js";

export type TableVisit = Visit<"table">;

/** What is grouped, and how. */
export interface GroupPlan {
  readonly visit: TableVisit;
  readonly grouping: Grouping;
  readonly selection: Selection;
  /** `where price > 5`; empty without filters. */
  readonly description: string;
  /** The names of the result columns. */
  readonly columns: readonly string[];
  /** Groups that are shown with the labels of the rows to which they refer. */
  readonly labelled: readonly string[];
}

/** One page of groups. */
export interface GroupResults {
  readonly rows: RowSet;
  /** The number of all groups; null if counting took too long or was not requested. */
  readonly count: number | null;
  readonly nextUrl: string | null;
  /** Null on the first page. */
  readonly previousUrl: string | null;
}
