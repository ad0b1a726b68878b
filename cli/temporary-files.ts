import { lstat, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What bundled plugins call their temporary files: purpose, machine, process id, random part. The machine is
 * part of it because containers may share the folder, and a process id means nothing in another container.
 */
const NAME = /^rowhouse-(?:spool|rows|publish|memory)-(?<machine>.+)-(?<processId>\d+)-\w+$/;

/**
 * Removes the temporary files of processes that were killed before they could. Files of live processes, of other
 * machines and of other users stay, and so does everything else in the folder.
 */
export async function sweepTemporaryFiles(): Promise<void> {
  const folder = tmpdir();
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isLeftBehind)) {
    // Another process may be sweeping at the same time, and what can't be removed does no harm.
    await removeOwn(join(folder, name)).catch(() => undefined);
  }
}

function isLeftBehind(name: string): boolean {
  const { machine, processId } = NAME.exec(name)?.groups ?? {};
  return machine === hostname() && hasEnded(Number(processId));
}

function hasEnded(processId: number): boolean {
  try {
    // Signal 0 is not delivered: the call only tells whether the process exists.
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Links are left alone: Rowhouse makes none, so another program put them there. */
async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (isOwn && !found.isSymbolicLink()) await rm(path, { recursive: true, force: true });
}
