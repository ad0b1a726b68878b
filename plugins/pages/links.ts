import { createHash } from "node:crypto";
import { withQuery, type Page, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { formEncode, queryPairs, without, type Pair } from "rowhouse/plugin-api/http";

/** The path of the current page with `base_url`. Links that keep the arguments of the page begin with it. */
export const ownPath = (rowhouse: Rowhouse, request: Request): string => rowhouse.urls.path(request.path);

/** The current page with some arguments removed and others added at the end. */
export function changed(
  rowhouse: Rowhouse,
  request: Request,
  remove: readonly string[],
  add: readonly Pair[] = [],
): string {
  return withQuery(ownPath(rowhouse, request), [...without(queryPairs(request), ...remove), ...add]);
}

/** Links to the same page in another format, with `extra` arguments at the end. */
export type FormatLinks = (format: string, extra?: readonly Pair[]) => string;

/** The argument for a format if the path contains a dot: an extension after it would be added to another one. */
export const formatArgument = (request: Request, format: string): readonly Pair[] =>
  request.path.includes(".") ? [["_format", format]] : [];

/**
 * The same page in other formats: `.json` at the end of the path, or `_format=json` if the path contains a dot.
 * Arguments are not re-encoded.
 */
export function formatLinks(rowhouse: Rowhouse, request: Request): FormatLinks {
  const path = ownPath(rowhouse, request);
  const sent = request.queryString.split("&").filter((part) => part !== "");
  return (format, extra = []) => {
    const byArgument = formatArgument(request, format);
    const added = [...byArgument, ...extra];
    const kept = sent.filter((part) => added.every(([name]) => name !== nameOf(part)));
    const own = added.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`);
    const query = [...kept, ...own].join("&");
    const file = byArgument.length > 0 ? path : `${path}.${format}`;
    return query === "" ? file : `${file}?${query}`;
  };
}

/** A link to bytes in any row of the current page: its address contains the hash of the bytes. */
export function hashLinks(
  rowhouse: Rowhouse,
  request: Request,
): (column: string, bytes: Uint8Array) => string {
  const linkTo = formatLinks(rowhouse, request);
  return (column, bytes) =>
    linkTo("blob", [
      ["_blob_column", column],
      ["_blob_hash", createHash("sha256").update(bytes).digest("hex")],
    ]);
}

const nameOf = (part: string): string => part.split("=", 1)[0] ?? "";

/**
 * True for addresses from untrusted sources that are allowed in `href`: http, https, or a path of this site.
 */
export const isSafeLink = (href: string): boolean =>
  /^https?:\/\//i.test(href.trim()) || /^\/(?![/\\])/.test(href);

const OWN_LINKS: ReadonlySet<string> = new Set(["html", "json", "csv", "blob"]);

/** Links to the formats of plugins for this page. */
export const otherFormats = (rowhouse: Rowhouse, page: Page, linkTo: FormatLinks) =>
  [...rowhouse.renderers.values()]
    .filter((renderer) => !OWN_LINKS.has(renderer.extension) && renderer.canRender?.(page) === true)
    .map(({ extension }) => ({ name: extension, href: linkTo(extension) }));
