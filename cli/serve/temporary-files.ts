import { lstat, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The names of temporary files of bundled plugins: purpose, machine, process id, random part. They contain the
 * machine because containers may share the folder, and a process id is valid only in its container.
 */
const NAME = /^rowhouse-(?:spool|rows|publish|memory|download)-(?<machine>.+)-(?<processId>\d+)-\w+$/;

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
  return machine === hostname() && hasEnded(Number(processId));
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

/** Links are not removed: Rowhouse creates none, so they belong to another program. */
async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (isOwn && !found.isSymbolicLink()) await rm(path, { recursive: true, force: true });
}
