import { NotFound, definePlugin, linkHeader, reply, safeLocation } from "rowhouse/plugin-api";

// It is sent twice, and clients give up on headers that are longer than their memory for them.
const LONGEST_LOCATION = 4_000;

/** Instead of "not found": on to the path that was probably meant. Comes before custom pages and error pages. */
export default definePlugin({
  name: "redirects",
  handle_exception: {
    order: "early",
    run(rowhouse, { request, error }) {
      if (!(error instanceof NotFound)) return null;
      const path = betterPath(request.path, rowhouse.renderers);
      if (path === null) return null;
      const query = request.queryString === "" ? "" : `?${request.queryString}`;
      const location = rowhouse.urls.path(safeLocation(path + query));
      if (location.length > LONGEST_LOCATION) return null;
      return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
    },
  },
});

/**
 * Where a path that was not found may have been meant to lead: percent-encoding becomes tilde-encoding,
 * trailing slashes go. A format at the end keeps its dot.
 *
 * @param formats known output formats, by extension
 * @returns null when there is nothing to improve
 */
export function betterPath(path: string, formats: { has(extension: string): boolean }): string | null {
  if (path.includes("%") && !isAction(path)) return tildePath(path, formats);
  const trimmed = withoutSlashes(path);
  return trimmed !== path && /[^/\\]/.test(trimmed) ? trimmed : null;
}

/** Cut by hand: a pattern would try again at every slash of a long row of them. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** Actions (`/<database>/<table>/-/insert`) take names as they are sent. */
const isAction = (path: string): boolean => /\/-\/[a-z-]+$/.test(path);

function tildePath(path: string, formats: { has(extension: string): boolean }): string {
  const [, name = path, extension = ""] = /^(.*)\.([A-Za-z0-9_]+)$/.exec(path) ?? [];
  const hasFormat = extension !== "" && formats.has(extension);
  const encoded = (hasFormat ? name : path)
    .replaceAll("~", "~7E")
    .replaceAll("%", "~")
    .replaceAll(".", "~2E");
  return hasFormat ? `${encoded}.${extension}` : encoded;
}
