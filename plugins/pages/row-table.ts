import type { Html, RowSet } from "rowhouse/plugin-api";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { Real, plainValue } from "rowhouse/plugin-api/engine";
import { escapedPieces, escapeHtml, cssClass } from "rowhouse/plugin-api/html";
import {
  type CellStyle,
  cellKind,
  cellMarkup,
  isLongPlainText,
  isOwnMarkup,
  ownMarkupLength,
  pluginMarkup,
  type CellKind,
} from "./cells.js";
import type { TableLimits } from "./table-limits.js";

/** The data of a heading, and of its column menu. */
export interface Heading {
  readonly name: string;
  /** The declared type. */
  readonly type: string;
  readonly notNull: boolean;
  readonly isKey: boolean;
  readonly description: string | null;
  /** The link that sorts; null if the page cannot be sorted by the column. */
  readonly sortHref: string | null;
  readonly sorted: "ascending" | "descending" | null;
  /** The position among several columns that the page is sorted by, from 1; null if it is the only one. */
  readonly sortPlace?: number | null;
}

/** A column of the rows: its heading and the style of its cells. */
export interface RowColumn {
  readonly heading: Heading;
  readonly style: CellStyle;
}

/** The data that a table of rows shows. */
export interface RowTable {
  /** The rows within the limits, with all cells. */
  readonly rows: RowSet;
  /** The columns within the limits, in the order of the cells. */
  readonly columns: readonly RowColumn[];
  /** The first column, which links to the rows; null if rows have no pages. */
  readonly link: LinkColumn | null;
  /** The cells that plugins rendered, by row; null if there are none. */
  readonly given: PluginCells | null;
  readonly limits: TableLimits;
  /** The size before the limits were applied. */
  readonly found: Extent;
  /** True if values are truncated that the page would show completely otherwise. */
  readonly valuesCut: boolean;
  /** A note that fewer rows were read because they are wide; null if all requested rows were read. */
  readonly shortened: string | null;
}

/** A number of rows and columns. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

/** Counts what the markup shows while it is made. */
interface ShownExtent {
  rows: number;
  columns: number;
}

/** Makes the markup of a table in pieces. */
export type MarkupPieces = (table: RowTable, shown: ShownExtent) => Iterable<string>;

export type PluginCells = readonly (readonly (string | Html | null)[])[];

export interface LinkColumn {
  readonly heading: Heading;
  /** The index of the only key column, which the link replaces; null if there is an additional column. */
  readonly replaces: number | null;
  readonly hrefs: readonly (string | null)[];
  readonly labels: readonly string[];
}

/** A heading of which only the name is known. */
export const bareHeading = (name: string): Heading => ({
  name,
  type: "",
  notNull: false,
  isKey: false,
  description: null,
  sortHref: null,
  sorted: null,
});

/**
 * The `<table>`, made in one pass over the cells without a template. Ends after the row that exceeds the limit of
 * characters.
 */
export function* rowTablePieces(table: RowTable, shown: ShownExtent): Generator<string> {
  const { link, columns, rows, limits } = table;
  const places = [...columns.keys()].filter((place) => place !== link?.replaces);
  const writers = places.map((place, index) =>
    cellWriter(table, place, index === 0 && link === null ? "" : "</td>"),
  );
  // A class, because browsers that see `:has(td.type-pk)` give each cell its style again while they read more rows.
  yield `<table class="rows-and-columns${link === null ? "" : " has-keys"}">\n`;
  yield* headPieces(table, places);
  yield "\n<tbody>\n";
  shown.columns = columns.length;
  const rowStart = link === null ? "<tr>" : `<tr><td class="col-${cssClass(link.heading.name)} type-pk">`;
  const rowEnd = link === null && places.length === 0 ? "</tr>\n" : "</td></tr>\n";
  let characters = 0;
  for (const [rowIndex, row] of (rows.cells ?? []).entries()) {
    if (characters > limits.characters) break;
    let line = link === null ? rowStart : rowStart + linkTo(table, link, rowIndex);
    for (let index = 0; index < places.length; index += 1) {
      line += writers[index]?.(row[places[index] ?? 0] ?? null, rowIndex) ?? "";
    }
    line += rowEnd;
    yield line;
    characters += line.length - "</tr>\n".length;
    shown.rows += 1;
  }
  yield "</tbody>\n</table>";
}

function* headPieces(table: RowTable, places: readonly number[]): Generator<string> {
  yield "<thead><tr>";
  if (table.link !== null) yield headingMarkup(table.link.heading, "text");
  for (const place of places) {
    const heading = table.columns[place]?.heading ?? bareHeading("");
    yield headingMarkup(heading, alignmentOf(table, place));
  }
  yield "</tr></thead>";
}

/** Writes the start tag and the inside of a cell, after the end tag of the cell before it. */
type CellWriter = (cell: Cell, rowIndex: number) => string;

/**
 * The function for the cells of one column. What is the same for all of them is decided once, because a page has
 * thousands of cells.
 */
function cellWriter(table: RowTable, place: number, before: string): CellWriter {
  const column = table.columns[place];
  const openings = openingsOf(column?.heading.name ?? "", alignmentOf(table, place), before);
  if (column === undefined || table.given !== null) {
    return (cell, rowIndex) => openingFor(cell, openings) + shownCell(table, rowIndex, place);
  }
  const { style } = column;
  const longest = ownMarkupLength(style);
  const textOpening = openings.str;
  return (cell, rowIndex) => {
    if (typeof cell === "string" && cell.length <= longest && isOwnMarkup(cell)) {
      return textOpening + cell;
    }
    return openingFor(cell, openings) + cellMarkup(cell, style, rowIndex);
  };
}

/** The start tags of the cells of a column. */
type Openings = Readonly<Record<CellKind, string>>;

function openingsOf(column: string, alignment: Alignment, before: string): Openings {
  const opening = (kind: string): string => `${before}<td class="col-${cssClass(column)} type-${kind}">`;
  // Keys without a label are aligned with the labels of their column.
  const number = alignment === "labelled" ? " labelled" : "";
  return {
    int: opening(`int${number}`),
    float: opening(`float${number}`),
    str: opening("str"),
    bytes: opening("bytes"),
    // Nulls are aligned with the numbers of their column.
    none: opening(alignment === "numeric" ? "none numeric" : "none"),
  };
}

function openingFor(cell: Cell, openings: Openings): string {
  const opening = openings[cellKind(cell)];
  const attribute = direction(cell);
  return attribute === "" ? opening : `${opening.slice(0, -1)}${attribute}>`;
}

/** The first row as a `<table>` with one line per column. */
export function* recordPieces(table: RowTable, shown: ShownExtent): Generator<string> {
  yield '<table class="rows-and-columns record">\n<tbody>\n';
  shown.rows = table.rows.cells?.length ?? 0;
  let characters = 0;
  for (const [place, { heading }] of table.columns.entries()) {
    if (characters > table.limits.characters) break;
    const cell = table.rows.cells?.[0]?.[place] ?? null;
    const column = `col-${cssClass(heading.name)}`;
    const type = heading.type === "" ? "" : ` <small>${escapeHtml(heading.type)}</small>`;
    const head = `<th class="${column}" scope="row"${dataAttributes(heading)}>${headingText(heading)}${type}</th>`;
    const opening = `<td class="${column} type-${cellKind(cell)}"${direction(cell)}>`;
    yield `<tr>${head}${opening}`;
    characters += head.length + opening.length;
    for (const piece of shownPieces(table, place)) {
      yield piece;
      characters += piece.length;
    }
    yield "</td></tr>\n";
    shown.columns += 1;
  }
  yield "</tbody>\n</table>";
}

/** What `shownCell` returns for the first row; a long text in pieces, because to escape it takes longer than a slice. */
function shownPieces(table: RowTable, place: number): Iterable<string> {
  const cell = table.rows.cells?.[0]?.[place];
  const column = table.columns[place];
  const isOurs = (table.given?.[0]?.[place] ?? null) === null && column !== undefined;
  if (isOurs && typeof cell === "string" && isLongPlainText(cell, column.style)) return longTextPieces(cell);
  return [shownCell(table, 0, place)];
}

/** In a box that scrolls: the columns after a text of many pages stay within reach. */
function* longTextPieces(text: string): Generator<string> {
  yield '<div class="long-text" tabindex="0">';
  yield* escapedPieces(text);
  yield "</div>";
}

type Alignment = "numeric" | "labelled" | "text";

/** Foreign keys are `labelled` if one of them has a label. Others are decided by the first value: types rarely differ. */
function alignmentOf({ rows, columns }: RowTable, place: number): Alignment {
  const cells = rows.cells ?? [];
  const isForeignKey = (columns[place]?.style.linkTo ?? null) !== null;
  if (isForeignKey && cells.some((row) => row[place] instanceof Labelled)) return "labelled";
  const kind = cellKind(cells.find((row) => row[place] !== null)?.[place] ?? null);
  return kind === "int" || kind === "float" ? "numeric" : "text";
}

/** The inside of one cell, escaped: the markup of a plugin, otherwise of this plugin. */
export function shownCell(table: RowTable, rowIndex: number, place: number): string {
  const given = table.given?.[rowIndex]?.[place] ?? null;
  if (given !== null) return pluginMarkup(given);
  const column = table.columns[place];
  const cell = table.rows.cells?.[rowIndex]?.[place] ?? null;
  return column === undefined ? "" : cellMarkup(cell, column.style, rowIndex);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/**
 * Only cells with right-to-left letters have the attribute: on each cell, it would double the size of small pages.
 */
function direction(cell: Cell): string {
  if (typeof cell === "number" || cell instanceof Real) return "";
  const value = plainValue(cell);
  return typeof value === "string" && RIGHT_TO_LEFT.test(value) ? ' dir="auto"' : "";
}

/** The inside of the cell that links to the page of a row. */
function linkTo(table: RowTable, { hrefs, labels, replaces }: LinkColumn, rowIndex: number): string {
  const href = hrefs[rowIndex] ?? null;
  const column = table.columns[replaces ?? -1];
  if (href === null && column !== undefined) {
    // A key without a page, such as a BLOB. The only link of this cell is the one to the page of the row.
    const cell = table.rows.cells?.[rowIndex]?.[replaces ?? -1] ?? null;
    return cellMarkup(cell, { ...column.style, blobHref: () => null }, rowIndex);
  }
  const label = escapeHtml(visibleName(labels[rowIndex] ?? ""));
  return href === null ? label : `<a href="${escapeHtml(href)}">${label}</a>`;
}

function headingMarkup(heading: Heading, alignment: Alignment): string {
  // Of several columns only the first has the attribute, which says how the table as a whole is sorted.
  const isFirst = heading.sorted !== null && (heading.sortPlace ?? 1) === 1;
  const sorted = isFirst ? ` aria-sort="${heading.sorted}"` : "";
  const numeric = alignment === "numeric" ? " numeric" : "";
  const start = `<th class="col-${cssClass(heading.name)}${numeric}" scope="col"`;
  return `${start}${dataAttributes(heading)}${sorted}>${headingText(heading)}</th>`;
}

/** The attributes that the column menu in the script of the page reads. */
function dataAttributes({ name, type, notNull, isKey, description }: Heading): string {
  const about = description === null ? "" : ` data-column-description="${escapeHtml(description)}"`;
  const flags = ` data-column-not-null="${notNull ? "1" : "0"}" data-is-pk="${isKey ? "1" : "0"}"`;
  return ` data-column="${escapeHtml(name)}" data-column-type="${escapeHtml(type)}"${flags}${about}`;
}

/** A name that is empty or blank, in quotes as in SQL: a link needs a text. */
export const visibleName = (name: string): string => (name.trim() === "" ? `"${name}"` : name);

function headingText({ name, sortHref, sorted, sortPlace = null }: Heading): string {
  const text = escapeHtml(visibleName(name));
  if (sortHref === null) return text;
  // `aria-sort` gives the order to screen readers.
  const glyph = sorted === "ascending" ? "▲" : "▼";
  const mark = sorted === null ? "" : `&nbsp;<span aria-hidden="true">${glyph}${sortPlace ?? ""}</span>`;
  return `<a href="${escapeHtml(sortHref)}" rel="nofollow">${text}${mark}</a>`;
}
