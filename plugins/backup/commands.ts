import { existsSync, realpathSync } from "node:fs";
import { chmod, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, StartupError, type Command, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { isDatabaseAddress, namedLocation } from "rowhouse/plugin-api/engine";
import {
  backUp,
  completeFile,
  namingFullDisk,
  partialPath,
  requireFolderOf,
  type BackupTarget,
} from "./back-up.js";
import { durationMs } from "./schedule.js";

interface BackupArguments {
  readonly database: string;
  readonly target: string;
  readonly keep: number;
  readonly every?: string;
  readonly rate: number;
}

const MEGABYTE = 1_000_000;

/** `rowhouse backup`: copies a database while it is used. */
export const backupCommand = (rowhouse: Rowhouse): Command => ({
  command: "backup <database> <target>",
  describe: "Back up a database to a file or into a folder, while it is used",
  builder: (yargs) =>
    yargs
      .positional("database", { type: "string", describe: "File of the database" })
      .positional("target", { type: "string", describe: "A new file, or an existing folder" })
      .option("keep", {
        type: "number",
        default: 0,
        describe: "In a folder: keep only so many backups; 0 keeps all",
      })
      .option("every", { type: "string", describe: "Repeat until a signal ends it: 15m, 1h, 1d" })
      .option("rate", { type: "number", default: 0, describe: "Megabytes a second at most; 0 is no limit" })
      .example("$0 backup library.db library-copy.db", "One copy")
      .example("$0 backup library.db backups --every 1h --keep 24", "One each hour, for a day"),
  handler: (args: BackupArguments) => runBackups(rowhouse, args),
});

async function runBackups(rowhouse: Rowhouse, args: BackupArguments): Promise<void> {
  const everyMs = args.every === undefined ? null : durationMs(args.every);
  const needsFolder = args.every !== undefined ? "--every" : args.keep > 0 ? "--keep" : null;
  if (needsFolder !== null && !existsSync(args.target))
    throw new StartupError(`${needsFolder} needs a folder, and ${args.target} does not exist`, 2);
  if (/[/\\]$/.test(args.target) && !existsSync(args.target))
    throw new StartupError(`The folder ${args.target} does not exist`, 2);
  const keep = wholeNumber("keep", args.keep);
  const maxBytesPerSecond = wholeNumber("rate", args.rate) * MEGABYTE;
  const isRepeated = everyMs !== null;
  const target: BackupTarget = { target: resolve(args.target), isRepeated, keep, maxBytesPerSecond };
  await withDatabase(rowhouse, { path: args.database, create: false }, async (database) => {
    const end = endSignal();
    // A first backup that fails shows a wrong target at once.
    const first = await backUp(database, target, end.signal).catch((error: unknown) => {
      end.signal.throwIfAborted();
      throw error;
    });
    process.stdout.write(`${first}\n`);
    while (everyMs !== null && (await wait(everyMs, end.signal))) {
      try {
        process.stdout.write(`${await backUp(database, target, end.signal)}\n`);
      } catch (error) {
        end.signal.throwIfAborted();
        rowhouse.log.error(`${args.database} could not be backed up: ${messageOf(error)}`);
      }
    }
    end.ignore();
  });
}

interface RestoreArguments {
  readonly backup: string;
  readonly database: string;
  readonly overwrite: boolean;
}

/** `rowhouse restore`: replaces the content of a database by that of a backup. */
export const restoreCommand = (rowhouse: Rowhouse): Command => ({
  command: "restore <backup> <database>",
  describe: "Replace the content of a database by that of a backup",
  builder: (yargs) =>
    yargs
      .positional("backup", { type: "string", describe: "A file that rowhouse backup made" })
      .positional("database", { type: "string", describe: "File of the database" })
      .option("overwrite", {
        type: "boolean",
        default: false,
        describe: "Replace the content of a database that exists",
      })
      .example(
        "$0 restore backups/library-20260131T120000.000Z.db library.db",
        "Restore a file that is lost",
      ),
  handler: (args: RestoreArguments) => restore(rowhouse, args),
});

async function restore(
  rowhouse: Rowhouse,
  { backup, database: path, overwrite }: RestoreArguments,
): Promise<void> {
  if (!existsSync(backup))
    throw new StartupError(`Invalid value for 'BACKUP': Path '${backup}' does not exist.`, 2);
  const exists = existsSync(path);
  if (exists && !overwrite)
    throw new StartupError(`The file ${path} exists. To replace its content, use --overwrite`, 2);
  if (exists && realpathSync(path) === realpathSync(backup))
    throw new StartupError(`${path} is the backup itself. Name the file to restore`, 2);
  const restoreTo = (file: string): Promise<void> =>
    withDatabase(rowhouse, { path: file, create: true }, async (database) => {
      if (database.backup === undefined) throw new StartupError(`${path} can't be restored`);
      // As the file was: not all users may be able to read it.
      if (!exists) await chmod(file, ((await stat(backup)).mode & 0o666) | 0o600);
      await database.backup.restoreFrom(backup).catch((error: unknown) => {
        throw namingFullDisk(error, path);
      });
    });
  if (exists || isDatabaseAddress(path)) await restoreTo(path);
  else await restoreToNewFile(path, restoreTo);
  process.stdout.write(`${path} has the content of ${backup}\n`);
}

/** The file appears under its name only when it is complete. */
async function restoreToNewFile(path: string, restoreTo: (file: string) => Promise<void>): Promise<void> {
  await requireFolderOf(path);
  const partial = partialPath(path);
  const end = endSignal();
  try {
    await restoreTo(partial);
    end.signal.throwIfAborted();
    await completeFile(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    end.ignore();
  }
}

interface Location {
  readonly path: string;
  readonly create: boolean;
}

async function withDatabase(
  rowhouse: Rowhouse,
  { path, create }: Location,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  if (!create && !isDatabaseAddress(path) && !existsSync(path))
    throw new StartupError(`Invalid value for 'DATABASE': Path '${path}' does not exist.`, 2);
  const database = await rowhouse.addDatabase(namedLocation(path, { create }));
  try {
    await use(database);
  } catch (error) {
    throw error instanceof StartupError ? error : new StartupError(messageOf(error), 1, { cause: error });
  } finally {
    await rowhouse.removeDatabase(database.name);
  }
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new StartupError(`Invalid value for '--${name}': should be a whole number`, 2);
}

/** True after the pause, false if a signal ended it. */
const wait = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false);

/** SIGHUP comes if the terminal is closed. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborts at a signal to end. */
function endSignal(): { readonly signal: AbortSignal; ignore(): void } {
  const end = new AbortController();
  const abort = (): void => end.abort(new StartupError("Ended by a signal"));
  for (const name of ENDING) process.once(name, abort);
  return { signal: end.signal, ignore: () => ENDING.forEach((name) => process.off(name, abort)) };
}
