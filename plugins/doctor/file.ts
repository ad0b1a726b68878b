import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database } from "rowhouse/plugin-api";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { shellWord } from "rowhouse/plugin-api/contracts";
import { ok, problem, warning, type Finding } from "./finding.js";

const OTHERS_MAY_WRITE = 0o002;
/** Clocks of file servers differ by some seconds. */
const CLOCK_TOLERANCE_MS = 60_000;
const LEAST_FREE_BYTES = 200_000_000;
const LOCK_WAIT_MS = 500;

const may = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** A file to check. */
export interface CheckedFile {
  readonly path: string;
  /** The path as it was given. */
  readonly shown: string;
  /** The server writes tokens, the log of changes and saved views to the internal file. */
  readonly use: "served" | "immutable" | "internal";
}

/** Checks permissions, space and times of a file. */
export async function checkFile({ path, shown, use }: CheckedFile): Promise<readonly Finding[]> {
  const file = await stat(path);
  const folder = dirname(path);
  const isWritable = use !== "immutable" && (await may(path, constants.W_OK));
  const { bavail, bsize } = await statfs(folder);
  const findings: Finding[] = [];
  if (use === "immutable") findings.push(ok(shown, "Is served as immutable"));
  else if (!isWritable) findings.push(readOnly(shown, use));
  if (isWritable && !(await may(folder, constants.W_OK | constants.X_OK)))
    findings.push(
      problem(
        shown,
        "Its folder can't be written to, so writes fail",
        `Allow this user to write to ${folder}`,
      ),
    );
  if ((file.mode & OTHERS_MAY_WRITE) !== 0)
    findings.push(
      warning(shown, "All users of this machine can change it", `Run: chmod o-w ${shellWord(path)}`),
    );
  if (file.mtimeMs > Date.now() + CLOCK_TOLERANCE_MS)
    findings.push(warning(shown, "Was changed in the future", "Check the clock of this machine"));
  if (isWritable && bavail * bsize < LEAST_FREE_BYTES)
    findings.push(
      warning(shown, `Only ${Math.round((bavail * bsize) / 1e6)} MB are free`, "Make space on its disk"),
    );
  return findings;
}

const readOnly = (shown: string, use: CheckedFile["use"]): Finding =>
  use === "internal"
    ? problem(shown, "Can only be read, so the server does not start", "Allow this user to write to it")
    : ok(shown, "Can only be read");

/** Checks the journal mode of files that clients can write to, and whether another program holds a lock. */
export async function checkUse(database: Database, { shown, use }: CheckedFile): Promise<readonly Finding[]> {
  if (use === "immutable") return [];
  return [
    ...(use === "served" ? [await journalMode(database, shown)] : []),
    ...(await locks(database, shown)),
  ];
}

async function journalMode(database: Database, shown: string): Promise<Finding> {
  const { rows } = await database.read("pragma journal_mode");
  const mode = String(rows[0]?.[0]);
  return mode === "wal"
    ? ok(shown, "Has a write-ahead log")
    : warning(
        shown,
        `Journal mode ${mode}: readers and writers wait for each other`,
        `If clients write, run: sqlite3 ${shellWord(shown)} 'pragma journal_mode = wal'`,
      );
}

async function locks(database: Database, shown: string): Promise<readonly Finding[]> {
  const { state } = await database.health();
  if (state !== "ready") return [];
  try {
    await database.write(async () => undefined, { dryRun: true, timeoutMs: LOCK_WAIT_MS });
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) return [];
    return [heldLock(shown, "writes fail")];
  }
}

/** @param effect what the lock prevents */
export const heldLock = (shown: string, effect: string): Finding =>
  problem(shown, `Another program holds a lock, so ${effect}`, `Find it with: fuser ${shellWord(shown)}`);
