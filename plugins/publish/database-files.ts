import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import { refuseValue } from "./values.js";

/** A database to publish. */
export interface DatabaseFile {
  readonly path: string;
  /** Its file in the bundle. */
  readonly to: string;
}

const HEADER = "SQLite format 3\0";

/**
 * The databases, each with a name of its own, as `serve` would name them.
 *
 * @throws StartupError for a file that is not there, is no database or is being written to
 */
export function databaseFiles(written: readonly string[]): readonly DatabaseFile[] {
  const byPath = new Map(written.map((shown) => [resolve(shown), shown]));
  const taken = new Set<string>();
  return [...byPath].map(([path, shown]) => {
    check(path, shown);
    const ending = extname(path);
    const stem = basename(path, ending);
    let name = stem;
    for (let count = 2; taken.has(name); count++) name = `${stem}_${count}`;
    taken.add(name);
    return { path, to: `databases/${name}${ending}` };
  });
}

function check(path: string, shown: string): void {
  const size = sizeOf(path);
  if (size === null) return refuseValue("'[FILES]...'", `Path '${shown}' does not exist.`);
  // An empty file is an empty database.
  if (size > 0 && headerOf(path) !== HEADER) throw new StartupError(`${shown} is not a database`);
  for (const journal of ["-wal", "-journal"]) refuseUnfinished(shown, `${path}${journal}`);
}

/** What stands beside the file is not in it yet, so a copy would lack it, or be broken. */
function refuseUnfinished(shown: string, journal: string): void {
  if ((sizeOf(journal) ?? 0) === 0) return;
  throw new StartupError(
    `${shown} is being written to: ${basename(journal)} holds what is not in it yet. Stop what writes to it, ` +
      `or publish a copy: sqlite3 ${shown} "vacuum into 'copy.db'"`,
  );
}

const sizeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.size ?? null;

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
