import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The names of temporary files of bundled plugins: purpose, machine, process id, random part. They contain the
 * machine because containers may share the folder, and a process id is valid only in its container.
 */
const NAME = /^rowhouse-(?:spool|rows|publish|memory|download|workers)-(?<machine>.+)-(?<processId>\d+)-\w+$/;

/** The path of a socket has about 100 bytes at most, and the name of a machine alone may have 64. */
const machineDigest = (): string => createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/** Creates the folder for the socket of the workers. */
export const makeSocketFolder = (): Promise<string> =>
  mkdtemp(join(tmpdir(), `rowhouse-workers-${machineDigest()}-${process.pid}-`));

/**
 * Removes the temporary files of processes that were killed. Files of live processes, of other machines and of other
 * users stay, and so does everything else in the folder.
 */
export async function sweepTemporaryFiles(): Promise<void> {
  const folder = tmpdir();
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isLeftBehind)) {
    // Another process may remove the same files at the same time. Files that cannot be removed do no harm.
    await removeOwn(join(folder, name)).catch(() => undefined);
  }
}

function isLeftBehind(name: string): boolean {
  const { machine, processId } = NAME.exec(name)?.groups ?? {};
  if (machine !== hostname() && machine !== machineDigest()) return false;
  return Number(processId) === process.pid || hasEnded(Number(processId));
}

function hasEnded(processId: number): boolean {
  try {
    // Signal 0 is not delivered. The call only checks whether the process exists.
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * Links are not removed: Rowhouse creates none, so they belong to another program. Neither are files
 * that are younger than this process. In a container that is started again, it has the id of the one before.
 */
async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  const isEarlier = found.ctimeMs < performance.timeOrigin;
  if (isOwn && isEarlier && !found.isSymbolicLink()) await rm(path, { recursive: true, force: true });
}
