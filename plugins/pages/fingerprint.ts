import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Rowhouse } from "rowhouse/plugin-api";

const OWN_FOLDER = new URL("static/", import.meta.url);
const known = new Map<string, string | null>();

/** Six hex digits of the hash of a bundled asset, so that a new version has a new address. */
export const fingerprint = (file: string): string => contentDigits(new URL(file, OWN_FOLDER)) ?? "";

/**
 * The address of a file of a bundled plugin with its fingerprint; other addresses unchanged. Files of other plugins
 * may change while the server runs.
 */
export function fingerprinted(rowhouse: Rowhouse, url: string): string {
  const [, name, file] = /^\/-\/static-plugins\/([^/?#]+)\/([^?#]+)$/.exec(withoutBase(rowhouse, url)) ?? [];
  if (name === undefined || file === undefined) return url;
  const owner = rowhouse.plugins.find((loaded) => loaded.bundled && loaded.name === name);
  if (owner?.plugin.static === undefined) return url;
  const digits = contentDigits(new URL(file, owner.plugin.static));
  return digits === null ? url : `${url}?${digits}`;
}

const withoutBase = (rowhouse: Rowhouse, url: string): string =>
  url.slice(rowhouse.urls.path("/").length - 1);

/** Null if the file does not exist. */
function contentDigits(file: URL): string | null {
  const before = known.get(file.href);
  if (before !== undefined) return before;
  const digits = existsSync(file)
    ? createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 6)
    : null;
  known.set(file.href, digits);
  return digits;
}
