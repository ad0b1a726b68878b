import {
  withQuery,
  type Page,
  type Renderer,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { formEncode, queryPairs, without, type Pair } from "rowhouse/plugin-api/http";
import { PluginError } from "rowhouse/plugin-api/errors";

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

/**
 * The same page in another format: `.json` at the end of the path, or `_format=json` if the path contains a dot.
 * Arguments are not re-encoded; `extra` arguments follow.
 */
export function inFormat(
  rowhouse: Rowhouse,
  request: Request,
  format: string,
  extra: readonly Pair[] = [],
): string {
  const dotted = request.path.includes(".");
  const path = dotted ? request.path : `${request.path}.${format}`;
  const added: Pair[] = dotted ? [["_format", format], ...extra] : [...extra];
  const replaced = new Set(added.map(([name]) => name));
  const kept = request.queryString.split("&").filter((part) => part !== "" && !replaced.has(nameOf(part)));
  const query = [...kept, ...added.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`)].join(
    "&",
  );
  return rowhouse.urls.path(query === "" ? path : `${path}?${query}`);
}

const nameOf = (part: string): string => part.split("=", 1)[0] ?? "";

/**
 * True for addresses from untrusted sources that are allowed in `href`: http, https, or a path of this site.
 */
export const isSafeLink = (href: string): boolean =>
  /^https?:\/\//i.test(href.trim()) || /^\/(?![/\\])/.test(href);

const OWN_LINKS: ReadonlySet<string> = new Set(["html", "json", "csv", "blob"]);

/** If the plugin of a format fails, the page has no link to the format. */
function isOffered(rowhouse: Rowhouse, renderer: Renderer, page: Page): boolean {
  try {
    return renderer.canRender?.(page) === true;
  } catch (error) {
    const { message } = new PluginError(
      rowhouse.pluginOf(renderer) ?? "pages",
      `canRender of ${renderer.extension}`,
      error,
    );
    rowhouse.log.error(message, error);
    return false;
  }
}

/** Links to the formats of plugins for this page. */
export const otherFormats = (rowhouse: Rowhouse, page: Page, { request }: Visit) =>
  [...rowhouse.renderers.values()]
    .filter((renderer) => !OWN_LINKS.has(renderer.extension) && isOffered(rowhouse, renderer, page))
    .map(({ extension }) => ({ name: extension, href: inFormat(rowhouse, request, extension) }));
