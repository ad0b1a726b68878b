import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Reply } from "rowhouse/plugin-api";
import { attachment } from "rowhouse/plugin-api/http";

/** Sends a copy of the current state of a database that may change, and removes the copy. */
export async function snapshotReply(database: Database, name: string, signal: AbortSignal): Promise<Reply> {
  const folder = await mkdtemp(join(tmpdir(), `rowhouse-download-${hostname()}-${process.pid}-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "snapshot.db");
    await database.backup?.copyTo(path, { signal });
    const { size } = await stat(path);
    // Closed at its end, and by the server if it is not sent. A copy of a killed process is removed at the next start.
    const body = createReadStream(path);
    body.once("close", () => void remove());
    return {
      status: 200,
      headers: {
        "content-type": "application/octet-stream",
        "content-disposition": attachment(name),
        "content-length": String(size),
        "cache-control": "no-store",
      },
      body,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
