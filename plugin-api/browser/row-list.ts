import { pageTable } from "./places.js";

/** The page of a list of rows: its order and filters are in its address. */
export interface RowList {
  /** Path and query of the page. */
  readonly address: string;
  /** The paths of its rows. */
  readonly rows: readonly string[];
  /** The addresses of the pages after and before it; null if there are none. */
  readonly next: string | null;
  readonly previous: string | null;
}

/** The rows before and after a row in the list that its visitor came from, or else in the order of the keys. */
export interface Neighbours {
  readonly list: RowList;
  readonly previous: Neighbour | null;
  readonly next: Neighbour | null;
}

/** A row, and the page of the list on which it is. */
export interface Neighbour {
  readonly href: string;
  readonly list: RowList;
}

/** Keeps the list of this page in the tab, for the pages of its rows. */
export function rememberRows(): void {
  const table = pageTable();
  if (table !== null) storeList(table.url, listIn(document, location.href));
}

/** Keeps a page of the list on which the next row is. */
export function storeList(tableUrl: string, list: RowList): void {
  try {
    sessionStorage.setItem(keyOf(tableUrl), JSON.stringify(list));
  } catch {
    // A browser may forbid storage. Rows then have no neighbours.
  }
}

/** The neighbours of the row of this page; null if no list with this row is found. */
export async function neighbours(): Promise<Neighbours | null> {
  const table = pageTable();
  if (table === null) return null;
  const stored = storedList(table.url);
  const list = stored?.rows.includes(location.pathname) === true ? stored : await listByKey(table.url);
  const at = list?.rows.indexOf(location.pathname) ?? -1;
  if (list === null || at === -1) return null;
  return {
    list,
    previous: await neighbour(list, { at: at - 1, page: list.previous, end: -1 }),
    next: await neighbour(list, { at: at + 1, page: list.next, end: 0 }),
  };
}

/** The page of the table that ends with the row of this page; null if the table has another order. */
async function listByKey(tableUrl: string): Promise<RowList | null> {
  const key = location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  const after = await readList(`${tableUrl}?_next=${encodeURIComponent(key)}`);
  return after?.previous ? readList(after.previous) : null;
}

/** The list on a page; null if the server does not send the page. */
async function readList(address: string): Promise<RowList | null> {
  const response = await fetch(address);
  if (!response.ok) return null;
  return listIn(new DOMParser().parseFromString(await response.text(), "text/html"), response.url);
}

interface Sought {
  readonly at: number;
  /** The page of the list to look at if this one has no such row. */
  readonly page: string | null;
  /** Which row of that page: the first, or the last (-1). */
  readonly end: number;
}

async function neighbour(list: RowList, { at, page, end }: Sought): Promise<Neighbour | null> {
  const here = at < 0 ? undefined : list.rows[at];
  if (here !== undefined) return { href: here, list };
  if (page === null) return null;
  const other = await readList(page);
  const href = other?.rows.at(end);
  return other === null || href === undefined ? null : { href, list: other };
}

function listIn(page: Document, address: string): RowList {
  const resolved = (element: Element): string => new URL(element.getAttribute("href") ?? "", address).href;
  const links = page.querySelectorAll("body.table table.rows-and-columns td.type-pk > a[href]");
  const linked = (rel: string): string | null => {
    const link = page.querySelector(`.position [rel=${rel}]`);
    return link === null ? null : resolved(link);
  };
  const { pathname, search } = new URL(address);
  return {
    address: `${pathname}${search}`,
    rows: [...links].map((link) => new URL(resolved(link)).pathname),
    next: linked("next"),
    previous: linked("prev"),
  };
}

const keyOf = (tableUrl: string): string => `rowhouse:rows:${tableUrl}`;

function storedList(tableUrl: string): RowList | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(tableUrl)) ?? "null") as RowList | null;
  } catch {
    return null;
  }
}
