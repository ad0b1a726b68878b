/** A column of the rows of a page. */
export interface ColumnPlace {
  readonly name: string;
  /** The declared type; empty if there is none. */
  readonly type: string;
  readonly notNull: boolean;
  readonly isKey: boolean;
  readonly description: string | null;
  /** The position on the page, from 0. */
  readonly index: number;
  readonly heading: HTMLTableCellElement;
}

/** A row of a page. */
export interface RowPlace {
  readonly element: HTMLTableRowElement;
  /** The address of its page; null if rows have no pages. */
  readonly href: string | null;
}

/** A cell of a row. */
export interface CellPlace {
  readonly element: HTMLTableCellElement;
  readonly row: RowPlace;
  readonly column: ColumnPlace;
}

/** The table to which a page belongs. */
export interface PageTable {
  readonly name: string;
  /** Paths of their pages. */
  readonly url: string;
  readonly databaseUrl: string;
}

/** The element with the rows of a table or view; null on other pages. */
export const rowsTable = (): HTMLTableElement | null =>
  document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");

/** The columns of a table element, in the order of the page. */
export const columnsOf = (table: HTMLTableElement): readonly ColumnPlace[] =>
  [...(table.tHead?.rows[0]?.cells ?? [])].map((heading, index) => {
    const { column = "", columnType = "", columnNotNull, isPk, columnDescription } = heading.dataset;
    return {
      name: column,
      type: columnType,
      notNull: columnNotNull === "1",
      isKey: isPk === "1",
      description: columnDescription ?? null,
      index,
      heading,
    };
  });

/** The rows of a table element. */
export const rowsOf = (table: HTMLTableElement): readonly RowPlace[] =>
  [...(table.tBodies[0]?.rows ?? [])].map(placeOf);

/** The row that contains an element; null outside of the rows. */
export function rowAt(target: EventTarget | null): RowPlace | null {
  const row = target instanceof Element ? target.closest("tr") : null;
  return row?.closest("tbody") ? placeOf(row) : null;
}

const placeOf = (element: HTMLTableRowElement): RowPlace => ({
  element,
  href: element.querySelector<HTMLAnchorElement>("td.type-pk > a[href]")?.href ?? null,
});

/** The values of the key of a row, as text; null for rows without a page. */
export function keyOf({ href }: Pick<RowPlace, "href">): readonly string[] | null {
  if (href === null) return null;
  const path = new URL(href).pathname.split("/").pop() ?? "";
  return path.split(",").map(tildeDecode);
}

/** The table of this page; null if the page belongs to none. */
export function pageTable(): PageTable | null {
  const address = document.querySelector<HTMLLinkElement>('link[rel="alternate"][type*="json"]')?.href;
  if (address === undefined) return null;
  const parts = new URL(address).pathname.replace(/\.json$/, "").split("/");
  if (document.body.classList.contains("row")) parts.pop();
  else if (!document.body.classList.contains("table")) return null;
  return {
    name: tildeDecode(parts.at(-1) ?? ""),
    url: parts.join("/"),
    databaseUrl: parts.slice(0, -1).join("/"),
  };
}

/** `two+words~2F` is `two words/`. */
function tildeDecode(text: string): string {
  const escaped = text.replaceAll("%", "%25").replaceAll("+", " ").replaceAll("~", "%");
  try {
    return decodeURIComponent(escaped);
  } catch {
    return text;
  }
}
