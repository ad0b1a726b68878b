import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Rowhouse } from "rowhouse/plugin-api";

const OWN_FOLDER = new URL("static/", import.meta.url);

/** Six hex digits of the content of an asset of the pages, so that a new version has a new address. */
export const fingerprint = (file: string): string => contentDigits(new URL(file, OWN_FOLDER)) ?? "";

/** The address of a file of a plugin's `static` folder with its fingerprint; any other address as it is. */
export function fingerprinted(rowhouse: Rowhouse, url: string): string {
  const [, name, file] = /^\/-\/static-plugins\/([^/?#]+)\/([^?#]+)$/.exec(withoutBase(rowhouse, url)) ?? [];
  if (name === undefined || file === undefined) return url;
  const owner = rowhouse.plugins.find((loaded) => loaded.name === name);
  if (owner?.plugin.static === undefined) return url;
  const digits = contentDigits(new URL(file, owner.plugin.static));
  return digits === null ? url : `${url}?${digits}`;
}

const withoutBase = (rowhouse: Rowhouse, url: string): string =>
  url.slice(rowhouse.urls.path("/").length - 1);

interface Digits {
  /** The time of the last change and the size: the file may change while the server runs. */
  readonly state: string;
  readonly digits: string;
}

const digitsByFile = new Map<string, Digits>();

/** Null for a file that does not exist. */
function contentDigits(file: URL): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return null;
  const state = `${found.mtimeMs} ${found.size}`;
  const known = digitsByFile.get(file.href);
  if (known?.state === state) return known.digits;
  const digits = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 6);
  digitsByFile.set(file.href, { state, digits });
  return digits;
}
