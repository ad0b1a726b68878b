import type { RowSet, Rowhouse } from "rowhouse/plugin-api";

/** The maximum part of a result on one page; Infinity for no limit. */
export interface TableLimits {
  readonly columns: number;
  readonly cells: number;
  /** Characters of the markup of the rows. */
  readonly characters: number;
}

/** Shorter values are never truncated because of the limit of the table. */
const SHORT_CHARACTERS = 2_048;

export const tableLimits = (rowhouse: Rowhouse): TableLimits => ({
  columns: rowhouse.setting("max_html_columns") || Infinity,
  cells: rowhouse.setting("max_html_cells") || Infinity,
  characters: rowhouse.setting("max_html_kb") * 1024 || Infinity,
});

/** The first rows: as many as fit into the limit of cells, and at least one. All columns remain. */
export function limitedRows(rows: RowSet, limits: TableLimits): RowSet {
  const columns = Math.max(1, Math.min(rows.columns.length, limits.columns));
  const most = Math.max(1, Math.floor(limits.cells / columns));
  const cells = rows.cells ?? [];
  if (cells.length <= most) return rows;
  return {
    ...rows,
    cells: cells.slice(0, most),
    ...(rows.paths !== undefined && { paths: rows.paths.slice(0, most) }),
  };
}

/** The maximum length of one value within the limit of the table; 0 for no limit. */
export function valueLimit(columns: number, { characters }: TableLimits): number {
  if (characters === Infinity) return 0;
  return Math.max(SHORT_CHARACTERS, Math.floor(characters / Math.max(1, columns)));
}
