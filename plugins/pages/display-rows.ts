import { raw, type Html, type Request } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";
import { plainValue } from "rowhouse/plugin-api/engine";
import { joinedInSlices, type Cell } from "rowhouse/plugin-api/http";
import { shownCell, type Extent, type MarkupPieces, type RowTable } from "./row-table.js";

/** One row as custom templates receive it. */
export interface DisplayRow {
  /** The values by column name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The address of the row's page; null if it has none. */
  readonly href: string | null;
  /** The rendered cell of a column; null for unknown columns. */
  display(column: string): Html | null;
}

/** The rows of a page and their layout. */
export interface RowLayout {
  readonly table: RowTable;
  readonly pieces: MarkupPieces;
}

/**
 * The context of a page with rows: the complete table, and its parts for templates with a layout of their own.
 *
 * @param options.isCustom true if a custom template lays out the rows: the table is made only if the template uses it
 */
export async function rowTableContext(
  { table, pieces }: RowLayout,
  request: Request,
  { isCustom, t }: { readonly isCustom: boolean; readonly t: Translator["t"] },
): Promise<Readonly<Record<string, unknown>>> {
  const shown = { rows: 0, columns: 0 };
  const isEmpty = (table.rows.cells ?? []).length === 0;
  // All values in the pieces are escaped already.
  const made = isCustom || isEmpty ? null : raw(await joinedInSlices(pieces(table, shown), request));
  const limited = { rows: table.rows.cells?.length ?? 0, columns: table.columns.length };
  return {
    has_rows: !isEmpty,
    row_table: (): Html => made ?? raw([...pieces(table, { rows: 0, columns: 0 })].join("")),
    rows_note: rowsNote(table, made === null ? limited : shown, t),
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

/** The notes of a page from which the limits leave something out. */
export interface RowsNote {
  /** `Showing 500 of 1,900 columns and 200 of 1,000 rows.` */
  readonly text: string;
  /** The number of shown rows if some are left out; null otherwise. */
  readonly rows: number | null;
}

/** Null if everything is shown. */
function rowsNote(
  { found, valuesCut, shortened }: RowTable,
  shown: Extent,
  t: Translator["t"],
): RowsNote | null {
  const parts = [
    ...(shown.columns < found.columns
      ? [t("rows.some_columns", { shown: shown.columns, count: found.columns })]
      : []),
    ...(shown.rows < found.rows ? [t("rows.some_rows", { shown: shown.rows, count: found.rows })] : []),
  ];
  const sentences = [
    ...(parts.length > 0 ? [t("rows.showing", { parts: parts.join(t("rows.and")) })] : []),
    ...(shortened === null ? [] : [shortened]),
    ...(valuesCut ? [t("rows.values_cut")] : []),
  ];
  if (sentences.length === 0) return null;
  return { text: sentences.join(" "), rows: shown.rows < found.rows ? shown.rows : null };
}
