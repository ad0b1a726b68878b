import { Html, type SqlValue } from "rowhouse/plugin-api";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { Real, UnreadBlob } from "rowhouse/plugin-api/engine";
import {
  escapeHtml,
  firstCharacters,
  humanSize,
  shortJson,
  shortText,
  type Translator,
  shownNumber,
  type NumberFormat,
} from "rowhouse/plugin-api/html";
import { indentJson } from "rowhouse/plugin-api/json";
import { unitSymbol } from "./units.js";

/** How the cells of one column are shown. */
export interface CellStyle {
  /** Maximum characters of a text; 0 for no limit. */
  readonly truncate: number;
  /** Fold long texts, so that one cell does not hide other rows. */
  readonly fold: boolean;
  /** For the texts about values that are not shown. */
  readonly reader: Translator;
  /** The address of the complete value of a truncated text; null if there is none. */
  readonly wholeHref: (rowIndex: number) => string | null;
  /** Unit from the metadata; null for plain numbers. */
  readonly unit: string | null;
  readonly customUnits: ReadonlyMap<string, string>;
  /** The format of numbers; null to show them as they are stored. */
  readonly numbers: NumberFormat | null;
  /** The address that a foreign key value links to, if there is one; null for other columns. */
  readonly linkTo: ((value: SqlValue) => string | null) | null;
  /** The address of a BLOB of a row; null if there is none. */
  readonly blobHref: (bytes: Uint8Array, rowIndex: number) => string | null;
}

const BLANK = "&nbsp;";

/** True on the page of a row. */
const isComplete = ({ truncate, fold }: CellStyle): boolean => truncate === 0 && !fold;

/** The markup inside one table cell. */
export function cellMarkup(cell: Cell, style: CellStyle, rowIndex: number): string {
  if (typeof cell === "number") return numberMarkup(cell, style);
  if (cell === null || cell === "") return BLANK;
  if (typeof cell === "string") return textMarkup(cell, style, rowIndex);
  if (cell instanceof Uint8Array) return blobMarkup(cell, style, rowIndex);
  if (cell instanceof Labelled) return labelledMarkup(cell, style);
  return numberMarkup(cell, style);
}

/** A number as its column shows it, with the stored one as title if they differ. */
function numberMarkup(
  number: Exclude<Cell, null | string | Uint8Array | Labelled>,
  { unit, customUnits, numbers }: CellStyle,
): string {
  const stored = String(number);
  const shown = numbers === null ? stored : shownNumber(number, numbers, stored);
  const full = unit === null ? shown : `${shown} ${escapeHtml(unitSymbol(unit, customUnits))}`;
  return shown === stored ? full : `<span title="${stored}">${full}</span>`;
}

/** The result of a plugin for a cell as markup: text is escaped, `Html` is not. */
export const pluginMarkup = (given: string | Html): string =>
  given instanceof Html ? given.markup : escapeHtml(given);

/** Used in the class `type-…` of a cell. */
export type CellKind = "int" | "float" | "str" | "bytes" | "none";

export function cellKind(cell: Cell): CellKind {
  if (typeof cell === "number") return "int";
  if (cell === null) return "none";
  if (typeof cell === "string") return "str";
  if (cell instanceof Real) return "float";
  if (cell instanceof Uint8Array) return "bytes";
  return cell instanceof Labelled ? cellKind(cell.value) : "int";
}

/** Longer texts and addresses are folded: on a phone, they would take more than the four lines of a folded one. */
const LONG = 160;
const MOST_LINES = 4;

const isTall = (text: string): boolean =>
  text.length > LONG || text.split("\n", MOST_LINES + 1).length > MOST_LINES;

// Longer addresses are not links: they would appear on the page twice, and servers reject them.
const LONGEST_ADDRESS = 65_536;
const WEB_ADDRESS = /^https?:\/\/\S+$/;

/**
 * Characters of texts that need more than `escapeHtml`, or this function: markup, addresses, JSON, lines, right-to-left
 * letters.
 */
const SPECIAL = /[&<>"'[{\n\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|:\/\//;

/**
 * The length up to which a text without special characters is its own markup; see `isOwnMarkup`.
 */
export const ownMarkupLength = ({ truncate, fold }: CellStyle): number =>
  Math.min(truncate === 0 ? Infinity : truncate, fold ? LONG : Infinity);

/** True for a text, not longer than `ownMarkupLength`, that is the same as its markup, and read from left to right. */
export const isOwnMarkup = (text: string): boolean => text !== "" && !SPECIAL.test(text);

function textMarkup(text: string, style: CellStyle, rowIndex: number): string {
  const { truncate, fold, wholeHref } = style;
  if (text.includes("://") && text.startsWith("http", text.search(/\S/))) {
    const address = text.trim();
    if (address.length <= LONGEST_ADDRESS && WEB_ADDRESS.test(address)) {
      const folded = fold && address.length > LONG ? ' class="long"' : "";
      return `<a${folded} href="${escapeHtml(address)}">${escapeHtml(shortAddress(address, truncate))}</a>`;
    }
  }
  if (isComplete(style) && isJsonDocument(text))
    return `<pre class="json-value" tabindex="0">${escapeHtml(indentJson(text))}</pre>`;
  const short = shortText(text, truncate);
  const href = short === text ? null : wholeHref(rowIndex);
  const shown =
    href === null ? escapeHtml(short) : escapeHtml(short.slice(0, -1)) + wholeLink(href, style.reader);
  // Shown in a few lines until it is clicked or focused, so that one long text does not hide other rows.
  return fold && isTall(text) ? `<div class="long" tabindex="0">${shown}</div>` : shown;
}

// Larger documents take long to lay out, and longer to read. No address is as long.
const LONGEST_JSON = 100_000;
// With an indent for each level, a few kilobytes of brackets would become many megabytes.
const MOST_LEVELS = 50;

/** True for a text whose markup is the escaped text: it is too long for an address and for a document. */
export const isLongPlainText = (text: string, style: CellStyle): boolean =>
  isComplete(style) && text.length > LONGEST_JSON;

/** True for a JSON object or array that is short enough to be laid out with a line for each member. */
export function isJsonDocument(text: string): boolean {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text) || isDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isDeep(json: string): boolean {
  let levels = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[{\]}]/gs)) {
    if (token === "[" || token === "{") levels += 1;
    if (token === "]" || token === "}") levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}

const wholeLink = (href: string, { t }: Translator): string =>
  `<a class="whole-value" href="${escapeHtml(href)}" aria-label="${escapeHtml(t("rows.whole_value"))}">…</a>`;

/** An address truncated to about `limit` characters. A short file extension is kept: `https://….png`. */
export function shortAddress(address: string, limit: number): string {
  if (limit === 0 || address.length <= limit) return address;
  const dot = address.lastIndexOf(".");
  const extension = address.slice(dot + 1);
  if (dot > 0 && extension.length >= 1 && extension.length <= 4 && !extension.includes("/")) {
    return `${firstCharacters(address, Math.max(0, limit - 1 - extension.length))}….${extension}`;
  }
  return `${firstCharacters(address, limit - 1)}…`;
}

function blobMarkup(bytes: Uint8Array, style: CellStyle, rowIndex: number): string {
  const { reader } = style;
  const href = style.blobHref(bytes, rowIndex);
  const size = bytes instanceof UnreadBlob ? bytes.size : bytes.length;
  const text = escapeHtml(reader.t("rows.binary", { count: size })).replaceAll(" ", "&nbsp;");
  if (href === null) return text;
  const human = humanSize(size, reader.language);
  const title = human === null ? "" : ` title="${human}"`;
  // For scripts that show files of a row.
  const data = isComplete(style) ? ` data-size="${size}"` : "";
  return `<a class="blob-download" href="${escapeHtml(href)}"${title}${data}>${text}</a>`;
}

/** The page of the other row has all of it. */
const LONGEST_LABEL = 1_000;

function labelledMarkup({ value, label }: Labelled, style: CellStyle): string {
  const limit = isComplete(style) ? LONGEST_LABEL : style.truncate;
  const labelText = label === null || label === "" ? "-" : shortText(String(label), limit);
  const valueText = String(value);
  const json = shortJson(labelText);
  const title = json === null ? "" : ` title="${escapeHtml(labelText)}"`;
  const shown = escapeHtml(json ?? labelText);
  const href = style.linkTo?.(value) ?? null;
  const unlinked = json === null ? shown : `<span${title}>${shown}</span>`;
  const folded = style.fold && isTall(json ?? labelText) ? ' class="long"' : "";
  const linked = href === null ? unlinked : `<a${folded} href="${escapeHtml(href)}"${title}>${shown}</a>`;
  return labelText === valueText ? linked : `${linked}&nbsp;<em>${escapeHtml(valueText)}</em>`;
}
