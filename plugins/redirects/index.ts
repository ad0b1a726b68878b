import { NotFound, definePlugin, reply } from "rowhouse/plugin-api";
import { DatabaseNotFound, TableNotFound } from "rowhouse/plugin-api/errors";
import { linkHeader, safeLocation } from "rowhouse/plugin-api/http";

// The reply contains the location twice, and clients limit the total length of headers.
const LONGEST_LOCATION = 4_000;

/** Redirects paths that were not found to the correct path. Runs before custom pages and error pages. */
export default definePlugin({
  name: "redirects",
  deterministic: true,
  unguarded: true,
  handle_exception: {
    order: "early",
    run(rowhouse, { request, error }) {
      if (!(error instanceof NotFound)) return null;
      const path = betterPath(request.path, rowhouse.renderers);
      if (path === null || keepsMissingName(error, request.path, path)) return null;
      const query = request.queryString === "" ? "" : `?${request.queryString}`;
      const location = rowhouse.urls.path(safeLocation(path + query));
      if (location.length > LONGEST_LOCATION) return null;
      return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
    },
  },
});

/** True if the corrected path has the same names of a database and a table, of which one does not exist. */
function keepsMissingName(error: NotFound, path: string, corrected: string): boolean {
  if (!(error instanceof TableNotFound || error instanceof DatabaseNotFound)) return false;
  return namesIn(path) === namesIn(corrected);
}

/** The database and the table of a path. */
const namesIn = (path: string): string => path.split("/").slice(0, 3).join("/");

/**
 * Corrects a path that was not found: percent-encoding becomes tilde-encoding, trailing slashes are removed. A format at
 * the end keeps its dot.
 *
 * @param formats known output formats, by extension
 * @returns null if there is nothing to correct
 */
export function betterPath(path: string, formats: { has(extension: string): boolean }): string | null {
  if (path.includes("%") && !isAction(path)) return tildePath(path, formats);
  const trimmed = withoutSlashes(path) || "/";
  return trimmed !== path && !/^[/\\]{2,}$/.test(trimmed) ? trimmed : null;
}

/** A loop, since a regular expression would take quadratic time on many slashes. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** True for endpoints such as `/<database>/<table>/-/insert`, which are not corrected. */
const isAction = (path: string): boolean => /\/-\/[a-z-]+$/.test(path);

function tildePath(path: string, formats: { has(extension: string): boolean }): string {
  const [, name = path, extension = ""] = /^(.*)\.([A-Za-z0-9_]+)$/.exec(path) ?? [];
  const hasFormat = formats.has(extension);
  const encoded = (hasFormat ? name : path)
    .replaceAll("~", "~7E")
    .replaceAll("%", "~")
    .replaceAll(".", "~2E");
  return hasFormat ? `${encoded}.${extension}` : encoded;
}
