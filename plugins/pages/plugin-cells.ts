import { Labelled, TimeSlices, type Cell } from "rowhouse/plugin-api/http";
import type { Html, RowSet, Visit } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import type { PluginCells } from "./row-table.js";

interface Where {
  readonly database: string;
  readonly table: string | null;
  readonly primaryKeys: readonly string[];
  /** Maximum characters of a text; 0 for no limit. */
  readonly truncate: number;
  /** Maximum number of columns. */
  readonly columns: number;
}

/** The number of cells for which plugins are called concurrently. */
const CELLS_AT_ONCE = 1_000;

/**
 * The cells that plugins or column types render, by row; null if they render none. Without such plugins and types, no
 * cell is visited.
 */
export async function pluginCells(visit: Visit, rows: RowSet, where: Where): Promise<PluginCells | null> {
  const { database, table } = where;
  const types = table === null ? null : await columnTypesOf(visit, database, table);
  if (visit.rowhouse.hooks.render_cell.isUsed()) return cellsOfPlugins({ visit, rows, where, types });
  if (types === null) return null;
  const slices = new TimeSlices(visit.request);
  const columns = rows.columns.slice(0, where.columns);
  const given: PluginCells[number][] = [];
  for (const row of rows.cells ?? []) {
    given.push(columns.map((column, index) => typedCell(types, { column, cell: row[index] ?? null, where })));
    if (slices.isOver) await slices.next();
  }
  return given;
}

interface CellsToRender {
  readonly visit: Visit;
  readonly rows: RowSet;
  readonly where: Where;
  readonly types: TypedColumns | null;
}

async function cellsOfPlugins({ visit, rows, where, types }: CellsToRender): Promise<PluginCells> {
  const { rowhouse, request, actor } = visit;
  const hook = rowhouse.hooks.render_cell;
  const { truncate: _truncate, columns: _columns, ...place } = where;
  const columns = rows.columns.slice(0, where.columns);
  const renderRow = (cellsOfRow: readonly Cell[]): Promise<(string | Html | null)[]> => {
    const row = Object.fromEntries(rows.columns.map((column, index) => [column, cellsOfRow[index] ?? null]));
    const render = async (column: string, index: number): Promise<string | Html | null> => {
      // Not by its name, which another column may have, too.
      const value = cellsOfRow[index] ?? null;
      const columnType = types?.get(column)?.given ?? null;
      const cell = { ...place, value, column, row, columnType, request, actor };
      return (await hook.promise(rowhouse, cell)) ?? typedCell(types, { column, cell: value, where });
    };
    return Promise.all(columns.map(render));
  };
  const slices = new TimeSlices(request);
  const cells = rows.cells ?? [];
  const rowsAtOnce = Math.ceil(CELLS_AT_ONCE / Math.max(1, columns.length));
  const given: PluginCells[number][] = [];
  for (let start = 0; start < cells.length; start += rowsAtOnce) {
    given.push(...(await Promise.all(cells.slice(start, start + rowsAtOnce).map(renderRow))));
    if (slices.isOver) await slices.next();
  }
  return given;
}

interface OneCell {
  readonly column: string;
  readonly cell: Cell;
  readonly where: Where;
}

/** A foreign key with a label is shown as its link. */
const typedCell = (types: TypedColumns | null, { column, cell, where }: OneCell): string | Html | null =>
  types === null || cell instanceof Labelled ? null : types.render(column, cell, where.truncate);
