import { existsSync } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, StartupError, type Database } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";

/** Where backups go, and how many stay. */
export interface BackupTarget {
  /** An existing folder, or a new file. */
  readonly target: string;
  /** True for backups that are repeated, which need a folder. */
  readonly isRepeated: boolean;
  /** In a folder: how many backups of a database stay; 0 keeps all. */
  readonly keep: number;
  /** 0 is no limit. */
  readonly maxBytesPerSecond: number;
}

/**
 * Backs up a database to a file, which appears under its name only when it is complete and checked.
 *
 * @returns the path of the backup
 */
export async function backUp(
  database: Database,
  { target, isRepeated, keep, maxBytesPerSecond }: BackupTarget,
  signal: AbortSignal,
): Promise<string> {
  if (database.backup === undefined)
    throw new StartupError(
      "Only SQLite files can be backed up. For other databases, use the programs of their server",
    );
  const isFolder = await isDirectory(target);
  // A folder that was removed meanwhile must not become a file.
  if (!isFolder && isRepeated) throw new StartupError(`There is no folder ${target}`);
  if (!isFolder && existsSync(target)) throw new StartupError(`The file ${target} exists`);
  if (!isFolder) await requireFolderOf(target);
  const path = isFolder ? join(target, nameFor(database.name, new Date())) : target;
  const partial = partialPath(path);
  try {
    await database.backup.copyTo(partial, {
      ...(maxBytesPerSecond > 0 && { maxBytesPerSecond }),
      signal,
    });
    await completeFile(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(`${partial}-journal`, { force: true });
    throw namingFullDisk(error, path);
  }
  if (isFolder && keep > 0) await removeOld(target, database.name, keep);
  return path;
}

/** @throws StartupError if a file with this path has no folder */
export async function requireFolderOf(path: string): Promise<void> {
  if (!(await isDirectory(dirname(path))))
    throw new StartupError(`The folder ${dirname(path)} does not exist`);
}

/** The name of a file that is not complete. */
export const partialPath = (path: string): string => `${path}.partial-${process.pid}`;

/** Gives a complete file its name. */
export async function completeFile(partial: string, path: string): Promise<void> {
  await rename(partial, path);
  await flushFolder(dirname(path));
}

/** SQLite does not say which of the two files did not fit on its disk: it is the one that is written. */
export const namingFullDisk = (error: unknown, path: string): unknown =>
  error instanceof SqlFailed && error.kind === "full"
    ? new StartupError(`Could not write ${path}: ${messageOf(error)}`, 1, { cause: error })
    : error;

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** `library-20260131T120000.123Z.db`: the order of names is that of time. */
const nameFor = (database: string, time: Date): string =>
  `${fileSafe(database)}-${time.toISOString().replaceAll(/[-:]/g, "")}.db`;

/**
 * Names of databases may contain any character. Letters of all scripts stay: encoded, each would have up to 12 characters,
 * and a name of a file has at most 255.
 */
const fileSafe = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{M}\p{N}!'().~_-]/gu, (character) =>
    encodeURIComponent(character).replace("*", "%2A"),
  );

const COMPLETE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z\.db$/;
const PARTIAL = /^\d{8}T\d{6}\.\d{3}Z\.db\.partial-/;
const DAY_MS = 86_400_000;

/** When the newest complete backup in a folder was begun, in ms since 1970; 0 if there is none. */
export async function newestBackupMs(folder: string, database: string): Promise<number> {
  const prefix = `${fileSafe(database)}-`;
  // A folder that is missing is reported when a backup is made.
  const names = await readdir(folder).catch(() => []);
  const times = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => COMPLETE.exec(name.slice(prefix.length)))
    .map((parts) => (parts === null ? 0 : Date.parse(parts[0].replace(COMPLETE, "$1-$2-$3T$4:$5:$6Z"))))
    // After the clock was set back, backups of before have times that are still to come.
    .filter((timeMs) => timeMs <= Date.now());
  return Math.max(0, ...times);
}

/** Also what is left of backups whose process was killed: their files have not changed for a day. */
async function removeOld(folder: string, database: string, keep: number): Promise<void> {
  const prefix = `${fileSafe(database)}-`;
  const all = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  const named = (pattern: RegExp): string[] => all.filter((name) => pattern.test(name.slice(prefix.length)));
  const newest = named(COMPLETE).toSorted().toReversed();
  // After the clock was set back, the backup that was just made would otherwise be older than all of before.
  const now = nameFor(database, new Date());
  const kept = [...newest.filter((name) => name <= now), ...newest.filter((name) => name > now)];
  for (const name of kept.slice(keep)) await rm(join(folder, name), { force: true });
  for (const path of named(PARTIAL).map((name) => join(folder, name))) {
    // Another process may rename or remove it now.
    const changedMs = await stat(path).then(
      (found) => found.mtimeMs,
      () => Infinity,
    );
    if (changedMs < Date.now() - DAY_MS) await rm(path, { force: true });
  }
}

/** Without this, a power failure could undo the new name. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
