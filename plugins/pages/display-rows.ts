import type { Cell, Html } from "rowhouse/plugin-api";
import { raw, plainValue } from "rowhouse/plugin-api";
import type { RowTable } from "./row-table.js";
import { rowTableMarkup, shownCell } from "./row-table.js";

/** One row as a template of one's own sees it. */
export interface DisplayRow {
  /** The values by column name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The address of the row's page, null where it has none. */
  readonly href: string | null;
  /** The rendered cell of a column; null when there is no such column. */
  display(column: string): Html | null;
}

/** Row-table context of a page: the finished table, and its parts for people who lay out rows their own way. */
export const rowTableContext = (table: RowTable, markup = rowTableMarkup) => ({
  has_rows: (table.rows.cells ?? []).length > 0,
  // A function, so that pages with a row template of their own don't pay for the table.
  row_table: (): Html => markup(table),
  display_columns: table.columns.map(({ heading }) => heading),
  display_rows: { [Symbol.iterator]: () => displayRows(table) },
});

function* displayRows(table: RowTable): Generator<DisplayRow> {
  const { columns } = table.rows;
  for (const [rowIndex, row] of (table.rows.cells ?? []).entries()) {
    yield {
      values: Object.fromEntries(columns.map((column, index) => [column, valueAt(row, index)])),
      href: table.link?.hrefs[rowIndex] ?? null,
      display: (column) => {
        const index = columns.indexOf(column);
        // `shownCell` escapes what it shows.
        return index === -1 ? null : raw(shownCell(table, rowIndex, index));
      },
    };
  }
}

const valueAt = (row: readonly Cell[], index: number): unknown => plainValue(row[index] ?? null);
