import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import { freeName } from "rowhouse/plugin-api/names";
import { refuseValue } from "./options.js";

/** A database to publish. */
export interface DatabaseFile {
  readonly path: string;
  /** As given on the command line. */
  readonly shown: string;
  /** Its path in the bundle. */
  readonly to: string;
  /** Changes with the file. */
  readonly state: string;
}

const HEADER = "SQLite format 3\0";

/**
 * The databases with unique names, as `serve` names them.
 *
 * @throws StartupError for a file that does not exist, is no database or is being written to
 */
export function databaseFiles(written: readonly string[]): readonly DatabaseFile[] {
  const byPath = new Map<string, string>();
  for (const shown of written) {
    const path = realPath(shown);
    if (!byPath.has(path)) byPath.set(path, shown);
  }
  const taken = new Set<string>();
  return [...byPath].map(([path, shown]) => {
    check(path, shown);
    const ending = extname(shown);
    const stem = basename(shown, ending);
    const name = freeName(stem, taken);
    taken.add(name);
    return { path, shown, to: `databases/${name}${ending}`, state: stateOf(path) };
  });
}

/** @throws StartupError if a file changed since `databaseFiles`: its copy may be inconsistent */
export function refuseChanged({ path, shown, state }: DatabaseFile): void {
  refuseUnfinished(shown, path);
  if (stateOf(path) !== state) throw new StartupError(`${shown} changed while it was copied`);
}

/** Resolves links: journals are next to the file itself. */
function realPath(shown: string): string {
  try {
    return realpathSync(shown);
  } catch {
    return refuseValue("'[FILES]...'", `Path '${shown}' does not exist.`);
  }
}

function check(path: string, shown: string): void {
  // An empty file is an empty database.
  if (sizeOf(path) > 0 && headerOf(path) !== HEADER) throw new StartupError(`${shown} is not a database`);
  refuseUnfinished(shown, path);
}

/** Rejects a file with a journal: a copy without the journal would be incomplete or corrupt. */
function refuseUnfinished(shown: string, path: string): void {
  const journal = ["-wal", "-journal"].find((ending) => sizeOf(`${path}${ending}`) > 0);
  if (journal === undefined) return;
  throw new StartupError(
    `${shown} is being written to: ${basename(path)}${journal} holds what is not in it yet. Stop what writes to ` +
      `it, or publish a copy: sqlite3 ${shown} "vacuum into 'copy.db'"`,
  );
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function stateOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}

function headerOf(path: string): string {
  if (statSync(path).isDirectory()) return "";
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEADER.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString("latin1");
  } finally {
    closeSync(file);
  }
}
