import { tildeEncode } from "../http/tilde-encode.js";
import { fetchDocument } from "./documents.js";
import { pageTable, type PageTable } from "./places.js";

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

/** The rows before and after a row in the list that its visitor came from. */
export interface Neighbours {
  /** Null for visitors who came from elsewhere: the rows are then those by the key. */
  readonly list: RowList | null;
  readonly previous: Neighbour | null;
  readonly next: Neighbour | null;
}

/** A row, and the page of the list on which it is; null if there is no list. */
export interface Neighbour {
  readonly href: string;
  readonly list: RowList | null;
}

/** Keeps the list of this page in the tab, for the pages of its rows. */
export function rememberRows(): void {
  const table = pageTable();
  if (table !== null) storeList(table.url, listIn(document, location.href));
}

/** Keeps a page of the list on which the next row is. */
export function storeList(tableUrl: string, list: RowList): void {
  try {
    sessionStorage.setItem(storageKey(tableUrl), JSON.stringify(list));
  } catch {
    // A browser may forbid storage. Rows then have no neighbours.
  }
}

/** The neighbours of the row of this page; null if neither a list nor a key shows them. */
export async function neighbours(): Promise<Neighbours | null> {
  const table = pageTable();
  if (table === null) return null;
  const list = storedList(table.url);
  const at = list?.rows.indexOf(location.pathname) ?? -1;
  if (list === null || at === -1) return neighboursByKey(table);
  return {
    list,
    previous: await neighbour(list, { at: at - 1, page: list.previous, end: -1 }),
    next: await neighbour(list, { at: at + 1, page: list.next, end: 0 }),
  };
}

async function neighboursByKey(table: PageTable): Promise<Neighbours | null> {
  const headings = document.querySelectorAll<HTMLElement>('body.row .record th[data-is-pk="1"]');
  const keys = [...headings].map(({ dataset }) => dataset["column"] ?? "");
  if (keys.length === 0) return null;
  const [previous, next] = await Promise.all([besideRow(table, keys, "-"), besideRow(table, keys, "")]);
  return previous === null && next === null ? null : { list: null, previous, next };
}

/** The first row after that of this page, in the order of the key or with `-` in the opposite one. */
async function besideRow(
  { url }: PageTable,
  keys: readonly string[],
  direction: "" | "-",
): Promise<Neighbour | null> {
  const key = location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  const wanted = {
    _order: keys.map((name) => direction + tildeEncode(name).replace(/^-/, "~2D")).join(","),
    // The values by which the rows are sorted, and the key of the row.
    _next: `${key},${key}`,
    _size: "1",
    _nocount: "1",
    _nofacet: "1",
  };
  const address = new URL(`${url}.json`, location.href).href;
  const { rows } = await fetchDocument<RowsByColumn>(address, wanted).catch(() => ({ rows: [] }));
  const path = keys.map((name) => keyText(rows[0]?.[name]));
  return path.includes("") ? null : { href: `${url}/${path.map(tildeEncode).join(",")}`, list: null };
}

interface RowsByColumn {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Empty if the value is not exact in a browser, such as a large integer, or has no path. */
const keyText = (value: unknown): string =>
  typeof value === "string" ? value : Number.isSafeInteger(value) ? String(value) : "";

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

const storageKey = (tableUrl: string): string => `rowhouse:rows:${tableUrl}`;

function storedList(tableUrl: string): RowList | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey(tableUrl)) ?? "null") as RowList | null;
  } catch {
    return null;
  }
}
