import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { codeAround, type CodeFolder } from "./plugin-code.js";
import { RENEWAL } from "./share-rowhouse.js";

/** The imports of this process by path: the time of the last one, and how often the code had changed before. */
const imports = new Map<string, { readonly atMs: number; readonly renewals: number }>();

/** File systems note changes with a clock that is a few milliseconds late. */
const CLOCK_LAG_MS = 20;

/**
 * The address by which to import a module. If its code has changed since the last import, the address is a new one: Node
 * keeps every module for as long as the process runs. The code is that of its package, or the files beside it; modules
 * that it imports by relative paths are imported again with it.
 */
export function currentModuleUrl(path: string): string {
  const last = imports.get(path);
  const atMs = Date.now();
  const around = last === undefined ? [] : codeAround(path);
  const isChanged =
    last !== undefined && around.some((watched) => changedMs(watched) > last.atMs - CLOCK_LAG_MS);
  const renewals = (last?.renewals ?? 0) + (isChanged ? 1 : 0);
  if (last === undefined || isChanged) imports.set(path, { atMs, renewals });
  if (isChanged) forgetCommonJs(around);
  const { href } = pathToFileURL(path);
  return renewals === 0 ? href : `${href}?${RENEWAL}=${renewals}`;
}

/** When a file was last changed, created, renamed or deleted. */
function changedMs({ path, counts, flat }: CodeFolder): number {
  const names = readdirSync(path, { recursive: flat !== true, encoding: "utf8" }).filter(counts);
  return Math.max(...["", ...names].map((name) => statSync(join(path, name)).ctimeMs));
}

/** Modules of CommonJS are kept by path, whatever the query. */
function forgetCommonJs(around: readonly CodeFolder[]): void {
  const { cache } = createRequire(import.meta.url);
  const isAround = (file: string): boolean =>
    around.some(({ path, flat }) =>
      flat === true ? join(file, "..") === path : file.startsWith(path + sep),
    );
  for (const file of Object.keys(cache)) if (isAround(file)) delete cache[file];
}
