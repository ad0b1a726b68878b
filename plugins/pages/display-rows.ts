import type { Cell, Html, Request } from "rowhouse/plugin-api";
import { joinedInSlices, raw, plainValue } from "rowhouse/plugin-api";
import { rowsNote } from "./rows-note.js";
import type { MarkupPieces, RowTable } from "./row-table.js";
import { shownCell } from "./row-table.js";

/** One row as a template of one's own sees it. */
export interface DisplayRow {
  /** The values by column name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The address of the row's page, null where it has none. */
  readonly href: string | null;
  /** The rendered cell of a column; null when there is no such column. */
  display(column: string): Html | null;
}

/** The rows of a page and how they are laid out. */
export interface RowLayout {
  readonly table: RowTable;
  readonly pieces: MarkupPieces;
}

/**
 * Row-table context of a page: the finished table, and its parts for templates that lay out rows their own way.
 *
 * @param isCustom a template of the user's lays out the rows: the table is made only if that template asks for it
 */
export async function rowTableContext(
  { table, pieces }: RowLayout,
  request: Request,
  isCustom: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const shown = { rows: 0, columns: 0 };
  const isEmpty = (table.rows.cells ?? []).length === 0;
  // Every value in the pieces was escaped where it was put in.
  const made = isCustom || isEmpty ? null : raw(await joinedInSlices(pieces(table, shown), request));
  const limited = { rows: table.rows.cells?.length ?? 0, columns: table.columns.length };
  return {
    has_rows: !isEmpty,
    row_table: (): Html => made ?? raw([...pieces(table, { rows: 0, columns: 0 })].join("")),
    rows_note: rowsNote(table, made === null ? limited : shown),
    display_columns: table.columns.map(({ heading }) => heading),
    display_rows: { [Symbol.iterator]: () => displayRows(table) },
  };
}

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
