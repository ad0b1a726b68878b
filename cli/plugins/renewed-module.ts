import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { codeAround, type CodeFolder } from "./plugin-code.js";
import { forgetImports, importsOf, RENEWAL } from "./share-rowhouse.js";

interface Import {
  /** On the clock of the machine, and on that of the process, which is never set. */
  readonly atMs: number;
  readonly steadyMs: number;
  /** How often the code had changed before. */
  readonly renewals: number;
}

/** The last import of this process of each path. */
const imports = new Map<string, Import>();

/** File systems note changes with a clock that is a few milliseconds late. */
const CLOCK_LAG_MS = 20;

/**
 * The address by which to import a module. If its code has changed since the last import, the address is a new one: Node
 * keeps every module for as long as the process runs. The code is that of its package, or the files beside it, and the
 * modules in folders below that it imports by relative paths. They are imported again with it.
 */
export function currentModuleUrl(path: string): string {
  const last = imports.get(path);
  const [atMs, steadyMs] = [Date.now(), performance.now()];
  const around = last === undefined ? [] : codeAround(path);
  const modules = last === undefined ? [] : modulesFrom(path);
  const changes = [...around.map(changedMs), ...modules.map(changedFileMs)];
  const isChanged = last !== undefined && Math.max(...changes) > timeOf(last) - CLOCK_LAG_MS;
  const renewals = (last?.renewals ?? 0) + (isChanged ? 1 : 0);
  if (last === undefined || isChanged) imports.set(path, { atMs, steadyMs, renewals });
  if (isChanged) {
    forgetCommonJs(around, modules);
    forgetImports(modules);
  }
  const { href } = pathToFileURL(path);
  return renewals === 0 ? href : `${href}?${RENEWAL}=${renewals}`;
}

/** If the clock was set back since then, the time that it would have shown. */
const timeOf = ({ atMs, steadyMs }: Import): number =>
  Math.min(atMs, Date.now() - (performance.now() - steadyMs));

/** When a file was last changed, created, renamed or deleted. */
function changedMs({ path, counts, flat }: CodeFolder): number {
  const names = readdirSync(path, { recursive: flat !== true, encoding: "utf8" }).filter(counts);
  // Some editors create links to nothing, as locks.
  const files = names.map((name) => join(path, name)).filter(existsSync);
  return Math.max(...[path, ...files].map(changedFileMs));
}

/** A file that was deleted has changed. */
const changedFileMs = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY;

const { cache } = createRequire(import.meta.url);

/** A module, and those in its folder and folders below that it imports by relative paths, with theirs. */
function modulesFrom(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const start = realpathSync(path);
  const found = new Set([start]);
  const isOfPlugin = (file: string): boolean =>
    file.startsWith(dirname(start) + sep) && !file.includes(`${sep}node_modules${sep}`);
  // The loop continues with what it adds.
  for (const module of found) {
    const required = (cache[module]?.children ?? []).map(({ filename }) => filename);
    for (const file of [...importsOf(module), ...required]) if (isOfPlugin(file)) found.add(file);
  }
  return [...found];
}

/** Modules of CommonJS are kept by path, whatever the query. */
function forgetCommonJs(around: readonly CodeFolder[], modules: readonly string[]): void {
  for (const file of modules) delete cache[file];
  const isAround = (file: string): boolean =>
    around.some(({ path, flat }) =>
      flat === true ? join(file, "..") === path : file.startsWith(path + sep),
    );
  // What another plugin has required is known only from its module.
  for (const file of Object.keys(cache)) if (isAround(file) && !imports.has(file)) delete cache[file];
}
