import type { Database, DatabaseVersion } from "rowhouse/plugin-api";

const REFRESH_AFTER_MS = 1000;

interface Known {
  readonly version: DatabaseVersion;
  readonly askedMs: number;
}

const lastKnown = new WeakMap<Database, Known>();
const refreshing = new WeakSet<Database>();

/** The version as of now, for deciding that nothing has changed. */
export async function currentVersion(database: Database): Promise<DatabaseVersion> {
  const askedMs = performance.now();
  const version = await database.version();
  lastKnown.set(database, { version, askedMs });
  return version;
}

/**
 * A version that the database had a moment ago, for marking a page that is about to be made. A page may be newer
 * than its mark, at the price of being sent once more; it must never be older. So pages wait for no poll.
 */
export async function recentVersion(database: Database): Promise<DatabaseVersion> {
  const known = lastKnown.get(database);
  if (known === undefined) return currentVersion(database);
  if (performance.now() - known.askedMs > REFRESH_AFTER_MS) refresh(database);
  return known.version;
}

function refresh(database: Database): void {
  if (refreshing.has(database)) return;
  refreshing.add(database);
  currentVersion(database)
    // Whoever needs the version meets the error.
    .catch(() => undefined)
    .finally(() => refreshing.delete(database));
}
