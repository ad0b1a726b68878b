import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase, fileUri, type ConnectionPlan } from "../open/open-connection.js";

/** The plan of a file that holds what a database in memory holds now, and how to remove the file. */
export interface MemorySnapshot {
  readonly plan: ConnectionPlan;
  remove(): Promise<void>;
}

/**
 * Copies a database in memory, which no other process can open, to a file that only this user can read. The file is
 * removed once a process has opened it, so none stays behind.
 */
export async function snapshotOf(plan: ConnectionPlan): Promise<MemorySnapshot> {
  const folder = await mkdtemp(join(tmpdir(), `rowhouse-memory-${hostname()}-${process.pid}-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "snapshot.db");
    await copyDatabase(plan, path);
    const location = { ...plan.location, mutable: false };
    return { plan: { ...plan, location, base: fileUri(path), path }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
