import { encodeComponent } from "./encode-component.js";
import { percentEncoded, type Pair } from "./query-bytes.js";
import { tildeEncode } from "./tilde-encode.js";
import type { Urls } from "../kernel/rowhouse.js";

export { tildeEncode };

/**
 * Decodes `tildeEncode`. `%` is not decoded; a `~` without two hex digits becomes `%`; invalid UTF-8 becomes U+FFFD.
 *
 * @example
 * tildeDecode("two+words~2F~C3~A9"); // "two words/é"
 */
export function tildeDecode(encoded: string): string {
  if (!/[~+]/.test(encoded)) return encoded;
  const bytes: Buffer[] = [];
  const piece = /~([0-9A-Fa-f]{2})|~|\+|[^~+]+/g;
  for (const [token, hex] of encoded.matchAll(piece)) {
    if (hex !== undefined) bytes.push(Buffer.of(Number.parseInt(hex, 16)));
    else if (token === "~") bytes.push(Buffer.from("%"));
    else if (token === "+") bytes.push(Buffer.from(" "));
    else bytes.push(Buffer.from(token, "utf8"));
  }
  return Buffer.concat(bytes).toString("utf8");
}

/**
 * The row path of a key: its values tilde-encoded and joined by commas.
 *
 * @example
 * rowPath(["nl", "a/b"]); // "nl,a~2Fb"
 */
export const rowPath = (key: readonly string[]): string => key.map(tildeEncode).join(",");

/**
 * The query argument that filters by exact values of a column: its name. Columns named like a special argument
 * (`_size`) or like an operator (`age__gt`) get the suffix `__exact`.
 *
 * @example
 * filterArgument("age"); // "age"
 * filterArgument("_age"); // "_age__exact"
 */
export const filterArgument = (column: string): string =>
  column.startsWith("_") || column.includes("__") ? `${column}__exact` : column;

/**
 * Form encoding of one query-string name or value: space is `+`; only `A-Z a-z 0-9 _ . - ~` stay as they are. Bytes
 * that are not UTF-8 stay what they are (`textOfBytes`).
 *
 * @example
 * formEncode("two words & more"); // "two+words+%26+more"
 */
export const formEncode = (text: string): string =>
  // Most names and values: a page with thousands of arguments writes each of them into a dozen links.
  UNRESERVED.test(text) ? text : percentEncoded(text, formEncodeText);

const UNRESERVED = /^[\w.~-]*$/;

const formEncodeText = (text: string): string => encodeComponent(text).replaceAll("%20", "+");

/**
 * A query string of these pairs, without `?`. Empty values are kept.
 *
 * @example
 * queryString([["_sort", "age"], ["name", "Ann B"]]); // "_sort=age&name=Ann+B"
 */
export const queryString = (pairs: Iterable<Pair>): string =>
  [...pairs].map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join("&");

/**
 * `path?query`, or `path` if there are no pairs.
 *
 * @example
 * withQuery("/library/books", [["_size", "5"]]); // "/library/books?_size=5"
 */
export const withQuery = (path: string, pairs: Iterable<Pair>): string => {
  const query = queryString(pairs);
  return query === "" ? path : `${path}?${query}`;
};

/**
 * The pairs without those of the given names.
 *
 * @example
 * without([["_size", "5"], ["q", "x"]], "_size"); // [["q", "x"]]
 */
export const without = (pairs: Iterable<Pair>, ...names: readonly string[]): Pair[] =>
  [...pairs].filter(([name]) => !names.includes(name));

/**
 * Makes a redirect target safe: it stays on this site, since leading slashes and backslashes become one slash.
 *
 * @example
 * safeLocation("//evil.example"); // "/evil.example"
 */
export const safeLocation = (location: string): string =>
  location
    .replace(/[\r\n\t\0]/g, "")
    .replace(/^[/\\]+/, "/")
    .replace(/^(?!\/)/, "/");

/**
 * True for a request for the page of this table or view. Only then its arguments are filters and settings of the table:
 * the actions of tables are listed on other pages, too.
 *
 * @example
 * isTablePage(rowhouse.urls, request, ["library", "books"]); // true
 */
export const isTablePage = (
  urls: Urls,
  { path }: { readonly path: string },
  [database, table]: readonly [database: string, table: string],
): boolean => urls.path(path) === urls.table(database, table);

/**
 * Makes `rowhouse.urls`.
 *
 * @example
 * siteUrls("/data/", false).table("library", "two words"); // "/data/library/two+words"
 * @param forceHttps the setting `force_https_urls`
 */
export function siteUrls(baseUrl: string, forceHttps: boolean): Urls {
  const path = (tail: string): string => baseUrl + tail.replace(/^\//, "");
  const withFormat = (tail: string, format: string | undefined): string =>
    path(format === undefined ? tail : `${tail}.${format}`);
  return {
    path,
    instance: (format) => (format === undefined ? path("") : path(`.${format}`)),
    database: (database, format) => withFormat(tildeEncode(database), format),
    table: (database, table, format) => withFormat(`${tildeEncode(database)}/${tildeEncode(table)}`, format),
    row: (database, table, row, format) =>
      withFormat(`${tildeEncode(database)}/${tildeEncode(table)}/${row}`, format),
    static: (file) => path(`-/static/${file}`),
    staticPlugin: (plugin, file) => path(`-/static-plugins/${plugin}/${file}`),
    absolute: (request, target) =>
      (forceHttps ? request.origin.replace(/^http:/, "https:") : request.origin) + target,
  };
}
