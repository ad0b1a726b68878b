import type { MetadataBlock, Visit } from "rowhouse/plugin-api";
import type { ExpandableColumn, TableExtension } from "rowhouse/plugin-api/contracts";
import type { ColumnFilter } from "./column-filters.js";
import type { RowCount } from "./count.js";
import type { PageRows } from "./page-rows.js";
import type { PagePlan, PageStatements } from "./page-statements.js";

export type TableVisit = Visit<"table">;

/** A page as planned from the request, before anything is read. */
export interface TablePlan {
  readonly visit: TableVisit;
  readonly metadata: MetadataBlock;
  readonly plan: PagePlan;
  readonly statements: PageStatements;
  readonly filters: readonly ColumnFilter[];
  readonly description: string;
  readonly expandable: readonly ExpandableColumn[];
  readonly labelled: readonly ExpandableColumn[];
}

/** What was read for a page. */
export interface TableResults {
  readonly page: PageRows | null;
  readonly count: RowCount | null;
  readonly extensions: readonly TableExtension[];
  readonly allowExecuteSql: boolean;
  /** The number of rows before the page; null if it is not known or not wanted. */
  readonly before: number | null;
}
