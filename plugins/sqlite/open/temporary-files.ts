import { constants } from "node:fs";
import { access } from "node:fs/promises";

const { SQLITE_TMPDIR, TMPDIR } = process.env;

/**
 * Folders for temporary files, in the order of SQLite (https://www.sqlite.org/tempfiles.html). The last one that it
 * tries, the working directory, is left out: files there would surprise an operator.
 */
const FOLDERS = [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"].filter(
  (folder) => folder !== undefined,
);

/** Where a connection keeps what it sorts and groups: large results in files, or all of it in memory. */
export type TemporaryStore = "file" | "memory";

/**
 * `file` if SQLite finds a folder that it can write to. A sort in memory takes as much of it as the rows have, and the C
 * library keeps that for each thread; in files it takes no more than the cache of the connection, and is not slower.
 */
export async function temporaryStore(folders: readonly string[] = FOLDERS): Promise<TemporaryStore> {
  if (process.platform === "win32") return "file";
  const writable = await Promise.all(folders.map(isWritable));
  return writable.includes(true) ? "file" : "memory";
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
