import { firePageEvent } from "./events.js";
import { rowAt, rowsTable, type RowPlace } from "./places.js";
import { scriptTexts } from "./texts.js";

const t = scriptTexts({
  "script.not_read_again": "The rows of this page could not be read again. Load the page again to see them.",
});

/** The parts of the page of a table that depend on its rows. */
const PARTS = [".narrowing .summary", ".narrowing .position", ".found > .position"];
/** What is typed into a cell stays until its script takes it. */
const TEXT_FIELD = "input:not([type=checkbox]), textarea, select";
/** What the page says instead of rows. */
const NO_ROWS = ".found > .empty";

/**
 * Reads the rows of the page again, as the server shows them now: with labels, units and the cells of plugins. The focus
 * stays at its place in the table. Fires `rows-loaded`.
 *
 * @throws Error if the server does not send the page; the rows stay as they are
 */
export async function refreshRows(): Promise<void> {
  const table = rowsTable();
  const page = await freshPage();
  if (table?.tBodies[0] === undefined) {
    // The first row has come.
    location.reload();
    return;
  }
  const focused = placeOfFocus(table);
  // Without rows, the page has no table. The empty one stays, hidden, because a new page would not offer Undo.
  table.tBodies[0].replaceChildren(...(rowsIn(page)?.tBodies[0]?.childNodes ?? []));
  for (const part of PARTS) {
    const [old, next] = [document.querySelector(part), page.querySelector(part)];
    if (next === null) old?.replaceChildren();
    else old?.replaceWith(next);
  }
  for (const facet of document.querySelectorAll<HTMLElement>(".facet[id]")) takeFigures(facet, page);
  document.querySelector(NO_ROWS)?.remove();
  const wrapper = table.closest<HTMLElement>(".table-wrapper");
  const noRows = page.querySelector(NO_ROWS);
  if (noRows !== null) wrapper?.after(noRows);
  if (wrapper !== null) wrapper.hidden = noRows !== null;
  firePageEvent("rows-loaded", { table });
  focusAt(table, focused);
}

/** Shows the values of a facet as they are in a page that was read again. What scripts have added to its heading stays. */
function takeFigures(facet: HTMLElement, page: Document): void {
  const fresh = page.getElementById(facet.id);
  facet.querySelector("ul")?.replaceChildren(...(fresh?.querySelector("ul")?.childNodes ?? []));
  const [number, next] = [facet, fresh].map((one) => one?.querySelector("h3 > .figures"));
  if (number) number.textContent = next?.textContent ?? "0";
}

/**
 * Reads one row of the page again after a change to `column`. A row that no longer belongs to the page stays until the
 * page is loaded again, as does a cell with a field. Fires `cell-changed`.
 */
export async function refreshRow({ element, href }: RowPlace, column: string): Promise<void> {
  const links = rowsIn(await freshPage())?.querySelectorAll<HTMLAnchorElement>("td.type-pk > a") ?? [];
  const fresh = [...links].find((link) => href !== null && sameAddress(link, href))?.closest("tr");
  const cells = [...(fresh?.cells ?? [])];
  for (const [index, old] of [...element.cells].entries()) {
    const next = cells[index];
    if (next === undefined || next.matches(".type-pk") || next.innerHTML === old.innerHTML) continue;
    if (old.querySelector(TEXT_FIELD) !== null) continue;
    old.className = next.className;
    old.replaceChildren(...next.childNodes);
  }
  const row = rowAt(element);
  if (row !== null) firePageEvent("cell-changed", { row, column });
}

// A parsed page has no address, so its links are resolved here.
const sameAddress = (link: HTMLAnchorElement, href: string): boolean =>
  new URL(link.getAttribute("href") ?? "", location.href).href === href;

/** @throws Error with a text for visitors, so that no page of an error replaces the rows */
async function freshPage(): Promise<Document> {
  const response = await fetch(location.href, { cache: "no-store" }).catch(() => null);
  if (response?.ok !== true) throw new Error(t("script.not_read_again"));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

const rowsIn = (page: Document): HTMLTableElement | null =>
  page.querySelector<HTMLTableElement>("body.table table.rows-and-columns");

interface Place {
  readonly row: number;
  readonly column: number;
}

function placeOfFocus(table: HTMLTableElement): Place | null {
  const cell = document.activeElement?.closest<HTMLTableCellElement>("td") ?? null;
  if (cell === null || !table.contains(cell)) return null;
  return { row: (cell.parentElement as HTMLTableRowElement).rowIndex, column: cell.cellIndex };
}

function focusAt({ rows }: HTMLTableElement, place: Place | null): void {
  if (place === null) return;
  const cell = rows[Math.min(place.row, rows.length - 1)]?.cells[place.column];
  const link = cell?.querySelector<HTMLElement>(":scope.type-pk > a") ?? null;
  if (!cell) return;
  if (link === null) cell.tabIndex = -1;
  (link ?? cell).focus({ preventScroll: true });
}
