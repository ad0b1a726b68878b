import type { Cell, Html, RowSet } from "rowhouse/plugin-api";
import { escapeHtml, raw } from "rowhouse/plugin-api";
import type { CellStyle } from "./cells.js";
import { cellKind, cellMarkup, givenMarkup } from "./cells.js";
import { cssClass } from "./css-class.js";
import { plainValue } from "./row-paths.js";

/** A heading as it is shown and as the column menu needs it. */
export interface Heading {
  readonly name: string;
  /** As declared. */
  readonly type: string;
  readonly notNull: boolean;
  readonly isKey: boolean;
  readonly description: string | null;
  /** Where a click sorts; null where the column can't be sorted by. */
  readonly sortHref: string | null;
  readonly sorted: "ascending" | "descending" | null;
}

/** All that is needed to show rows. Everything per column stands in column order. */
export interface RowTable {
  readonly rows: RowSet;
  readonly headings: readonly Heading[];
  readonly styles: readonly CellStyle[];
  /** The first column that links to the rows, null where rows have no pages of their own. */
  readonly link: LinkColumn | null;
  /** What plugins gave for cells, row by row; null where none did, or none was asked. */
  readonly given: readonly (readonly (string | Html | null)[])[] | null;
}

export interface LinkColumn {
  /** `Link`, or the name of the single key column, which is then not shown again. */
  readonly name: string;
  readonly replaces: number | null;
  readonly hrefs: readonly (string | null)[];
  readonly labels: readonly string[];
}

/** A heading of which nothing is known but its name. */
export const bareHeading = (name: string): Heading => ({
  name,
  type: "",
  notNull: false,
  isKey: false,
  description: null,
  sortHref: null,
  sorted: null,
});

/** The finished `<table>`; one pass over the cells, no template in between. */
export function rowTableMarkup(table: RowTable): Html {
  const order = shownColumns(table);
  const heads = order.map((index) => headingMarkup(table.headings[index]!));
  if (table.link !== null) heads.unshift(linkHeading(table, table.link));
  const classes = table.headings.map((heading) => `<td class="col-${cssClass(heading.name)} type-`);
  const cells = table.rows.cells ?? [];
  let body = "";
  for (const [rowIndex, row] of cells.entries()) {
    body += table.link === null ? "<tr>" : `<tr>${linkCell(table.link, rowIndex)}`;
    for (const index of order) body += cellElement(table, row, rowIndex, index, classes[index]!);
    body += "</tr>\n";
  }
  // Every value above was escaped by `cellMarkup`, `headingMarkup` or `linkCell`.
  return raw(
    `<table class="rows-and-columns">\n<thead><tr>${heads.join("")}</tr></thead>\n<tbody>\n${body}</tbody>\n</table>`,
  );
}

const shownColumns = (table: RowTable): number[] =>
  table.headings.map((_, index) => index).filter((index) => index !== table.link?.replaces);

/** The inside of one cell: what a plugin gave, else our own rendering. */
export function shownCell(table: RowTable, row: readonly Cell[], rowIndex: number, index: number): string {
  const given = table.given?.[rowIndex]?.[index] ?? null;
  return given === null ? cellMarkup(row[index] ?? null, table.styles[index]!, rowIndex) : givenMarkup(given);
}

function cellElement(
  table: RowTable,
  row: readonly Cell[],
  rowIndex: number,
  index: number,
  opening: string,
): string {
  const cell = row[index] ?? null;
  return `${opening}${cellKind(cell)}"${direction(cell)}>${shownCell(table, row, rowIndex, index)}</td>`;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Only cells with right-to-left letters carry the attribute: on each cell it would double small pages. */
function direction(cell: Cell): string {
  const value = plainValue(cell);
  return typeof value === "string" && RIGHT_TO_LEFT.test(value) ? ' dir="auto"' : "";
}

function linkCell(link: LinkColumn, rowIndex: number): string {
  const href = link.hrefs[rowIndex] ?? null;
  const label = escapeHtml(link.labels[rowIndex] ?? "");
  const inside = href === null ? label || "&nbsp;" : `<a href="${escapeHtml(href)}">${label}</a>`;
  return `<td class="col-${cssClass(link.name)} type-pk">${inside}</td>`;
}

const linkHeading = (table: RowTable, link: LinkColumn): string =>
  headingMarkup(link.replaces === null ? bareHeading(link.name) : table.headings[link.replaces]!);

function headingMarkup(heading: Heading): string {
  const sorted = heading.sorted === null ? "" : ` aria-sort="${heading.sorted}"`;
  return `<th class="col-${cssClass(heading.name)}" scope="col"${dataAttributes(heading)}${sorted}>${headingText(heading)}</th>`;
}

/** What the column menu of the page's script reads; headings that can't be sorted have no menu. */
function dataAttributes({ name, type, notNull, isKey, description, sortHref }: Heading): string {
  if (sortHref === null && type === "" && description === null) return "";
  const attributes = [
    ["column", name],
    ["column-type", type],
    ["column-not-null", notNull ? "1" : "0"],
    ["is-pk", isKey ? "1" : "0"],
    ...(description === null ? [] : [["column-description", description]]),
  ];
  return attributes.map(([key, value]) => ` data-${key}="${escapeHtml(value ?? "")}"`).join("");
}

function headingText({ name, sortHref, sorted }: Heading): string {
  const text = escapeHtml(name) || "&nbsp;";
  if (sortHref === null) return text;
  const mark = sorted === null ? "" : `&nbsp;${sorted === "ascending" ? "▼" : "▲"}`;
  return `<a href="${escapeHtml(sortHref)}" rel="nofollow">${text}${mark}</a>`;
}
