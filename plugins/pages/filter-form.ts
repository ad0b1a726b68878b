import type { Rowhouse, TableContext, Visit } from "rowhouse/plugin-api";
import { ownPath } from "./links.js";

interface FilterRow {
  /** `_1` for the first active filter; empty for the row that adds one. */
  readonly suffix: string;
  readonly column: string;
  readonly op: string;
  readonly value: string;
  /** The column menu. */
  readonly columns: readonly string[];
}

/**
 * Each filter has a menu of all columns. Filters beyond this many entries can be changed and removed, but not moved to
 * another column.
 */
const MOST_MENU_ENTRIES = 20_000;

/** A filter may name a column that does not exist; the menu still has to show it. */
const withColumn = (columns: readonly string[], names: ReadonlySet<string>, column: string) =>
  names.has(column) ? columns : [column, ...columns];

/** What the filter form of a table page shows. */
export function filterForm(rowhouse: Rowhouse, { request }: Visit, facts: TableContext) {
  const columns = facts.filterColumns;
  const names = new Set(columns);
  const withMenu = Math.floor(MOST_MENU_ENTRIES / Math.max(1, columns.length));
  const active = facts.filters.map((filter, index): FilterRow => ({
    ...filter,
    suffix: `_${index + 1}`,
    columns: index >= withMenu ? [filter.column] : withColumn(columns, names, filter.column),
  }));
  const path = ownPath(rowhouse, request);
  return {
    form_action: path,
    allow_facet: rowhouse.setting("allow_facet"),
    filter_rows: [...active, { suffix: "", column: "", op: "", value: "", columns }],
    search: facts.search ?? "",
    searchable: facts.searchable ?? false,
    sort_choices: facts.columns.filter((column) => column.sortable).map((column) => column.name),
    sorted_by: facts.sortDesc ?? facts.sort,
    sorted_descending: facts.sortDesc !== null,
    reset_url: facts.humanDescription === "" ? null : path,
  };
}
