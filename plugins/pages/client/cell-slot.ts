import {
  columnsOf,
  contributionsTo,
  onPage,
  onSlotChange,
  rowsOf,
  type ColumnPlace,
  type RowPlace,
  type Slots,
} from "rowhouse/browser";

/** Shows cells to the plugins that contribute to the slot `cell`, and again after changes. */
export function showCellsToPlugins(): void {
  let table: HTMLTableElement | null = null;
  const showAll = (contributions: readonly Slots["cell"][]): void => {
    if (table === null || contributions.length === 0) return;
    const columns = columnsOf(table);
    for (const row of rowsOf(table)) showRow(contributions, row, columns);
  };
  onPage("rows-loaded", (loaded) => {
    table = loaded.table;
    showAll(contributionsTo("cell"));
  });
  onPage("cell-changed", ({ row }) => {
    if (table !== null) showRow(contributionsTo("cell"), row, columnsOf(table));
  });
  let isKnown = false;
  onSlotChange("cell", (contribution) => {
    if (isKnown) showAll([contribution]);
  });
  isKnown = true;
}

function showRow(
  contributions: readonly Slots["cell"][],
  row: RowPlace,
  columns: readonly ColumnPlace[],
): void {
  for (const column of columns) {
    const element = row.element.cells[column.index];
    for (const show of element === undefined ? [] : contributions) {
      try {
        show({ element: element as HTMLTableCellElement, row, column });
      } catch (error) {
        reportError(error);
      }
    }
  }
}
