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
