import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Rowhouse } from "rowhouse/plugin-api";

const OWN_FOLDER = new URL("static/", import.meta.url);

/** Six hex digits of the content of an asset of the pages, so that a new version has a new address. */
export const fingerprint = (file: string): string => contentDigits(OWN_FOLDER, file) ?? "";

const PLUGIN_FILE = /^\/-\/static-plugins\/([^/?#]+)\/([^?#]+)$/;

/** The address of a file of a plugin's `static` folder with its fingerprint; any other address as it is. */
export function fingerprinted(rowhouse: Rowhouse, url: string): string {
  const [, name, file] = PLUGIN_FILE.exec(withoutBase(rowhouse, url)) ?? [];
  if (name === undefined || file === undefined) return url;
  const folder = rowhouse.plugins.find((loaded) => loaded.name === name)?.plugin.static;
  const digits = folder === undefined ? null : contentDigits(folder, file);
  return digits === null ? url : `${url}?${digits}`;
}

const withoutBase = (rowhouse: Rowhouse, url: string): string =>
  url.slice(rowhouse.urls.path("/").length - 1);

/** A page names a dozen files. To look at each of them for each page takes longer than to read the rows. */
const CHECK_INTERVAL_MS = 1_000;

interface Digits {
  /** The time of the last change and the size: the file may change while the server runs. */
  readonly state: string;
  readonly digits: string;
  readonly checkedMs: number;
}

const digitsByFolder = new WeakMap<URL, Map<string, Digits>>();

/** Null for a file that does not exist. */
function contentDigits(folder: URL, name: string): string | null {
  const byName = digitsByFolder.get(folder) ?? new Map<string, Digits>();
  digitsByFolder.set(folder, byName);
  const known = byName.get(name) ?? null;
  if (known !== null && performance.now() - known.checkedMs < CHECK_INTERVAL_MS) return known.digits;
  const current = digitsOf(new URL(name, folder), known);
  if (current !== null) byName.set(name, current);
  return current?.digits ?? null;
}

/** @param known what was read before */
function digitsOf(file: URL, known: Digits | null): Digits | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return null;
  const state = `${found.mtimeMs} ${found.size}`;
  const digits =
    known?.state === state
      ? known.digits
      : createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 6);
  return { state, digits, checkedMs: performance.now() };
}
