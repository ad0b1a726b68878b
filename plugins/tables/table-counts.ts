import { LRUCache } from "lru-cache";
import type { Database, Rowhouse } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { dependsOnDataAlone, hasStoredRows, paramsKey } from "rowhouse/plugin-api/engine";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import { countRows, inspectedCount } from "./count.js";
import { varyingLifetimeMs } from "./version-cache.js";

/** The count of a whole table, running or finished. */
interface TableCount {
  readonly dataVersion: string;
  readonly timeLimitMs: number;
  /** `performance.now()` when counting began. */
  readonly startedMs: number;
  /** Resolves to null if counting exceeded the time limit. */
  readonly count: Promise<number | null>;
  /** Set when `count` has resolved. */
  result?: number | null;
  /** `performance.now()` after which rows may have come or gone although the data is the same. */
  expiresMs: number;
}

/** By the table, and for a table of which an actor may read a part by this part, too. */
type TableCounts = LRUCache<string, TableCount>;

const tableCounts = new WeakMap<Database, TableCounts>();
/** Enough for all tables of large databases, and for actors who each may read other rows. */
const MOST_BYTES = 2_000_000;
const ENTRY_BYTES = 300;

function countsOf(database: Database): TableCounts {
  const before = tableCounts.get(database);
  if (before !== undefined) return before;
  const made: TableCounts = reportedCache(
    "table-counts",
    new LRUCache({ maxSize: MOST_BYTES, sizeCalculation: (_count, key) => key.length + ENTRY_BYTES }),
  );
  tableCounts.set(database, made);
  return made;
}

// A count that timed out on a busy machine may succeed later. Retries may use at most this share of the time.
const MAX_RETRY_SHARE = 0.01;

/**
 * Number of rows of a table that an actor may read, cached until the data changes; null if counting exceeds the
 * time limit. A timeout is cached too, for a hundred times the limit, so that tables too large to count stay cheap.
 */
export async function countTable(
  rowhouse: Rowhouse,
  database: Database,
  readable: ReadableTable,
  { timeLimitMs, sinceMs }: { readonly timeLimitMs: number; readonly sinceMs: number | undefined },
): Promise<number | null> {
  const { table, flattenable: source, params, restricted } = readable;
  const inspected = restricted ? null : inspectedCount(rowhouse, database, table);
  if (inspected !== null) return inspected;
  const counts = countsOf(database);
  const [{ data }, schema] = await Promise.all([database.version(sinceMs), database.schema(sinceMs)]);
  const key = restricted ? `${table.name}\0${source} ${paramsKey(params)}` : table.name;
  const known = counts.get(key);
  if (known?.dataVersion === data && known.expiresMs > performance.now()) {
    const count = await known.count;
    if (count !== null || !shouldRetry(known, timeLimitMs)) return count;
  }
  const sql = `select count(*) from ${source}`;
  const count = countRows(database, sql, params, { timeLimitMs });
  // The condition of a row rule may read the time.
  const isStable = restricted
    ? dependsOnDataAlone(database, schema, { table, sql: [sql] })
    : hasStoredRows(table);
  const startedMs = performance.now();
  const made: TableCount = { dataVersion: data, timeLimitMs, startedMs, count, expiresMs: Infinity };
  counts.set(key, made);
  count.then(
    (result) => {
      const lifetimeMs = isStable ? Infinity : varyingLifetimeMs(performance.now() - startedMs);
      made.expiresMs = startedMs + lifetimeMs;
      return (made.result = result);
    },
    // The caller gets the error. It is not cached for others.
    () => counts.delete(key),
  );
  return count;
}

/** The counts of these tables that are cached and still valid, by table name. */
export async function knownCounts(
  database: Database,
  readables: readonly ReadableTable[],
  sinceMs: number,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const counts = tableCounts.get(database);
  if (counts === undefined) return known;
  const { data } = await database.version(sinceMs);
  const nowMs = performance.now();
  const last = lastKnownCounts.get(database);
  const isSame =
    last?.data === data &&
    last.expiresMs > nowMs &&
    last.counts.size === readables.length &&
    readables.every(({ table, restricted }) => !restricted && last.counts.has(table.name));
  if (isSame) return last.counts;
  let expiresMs = Infinity;
  for (const { table, restricted } of readables) {
    const one = restricted ? undefined : counts.get(table.name);
    if (one?.dataVersion !== data || one.expiresMs <= nowMs || typeof one.result !== "number") continue;
    known.set(table.name, one.result);
    expiresMs = Math.min(expiresMs, one.expiresMs);
  }
  lastKnownCounts.set(database, { data, expiresMs, counts: known });
  return known;
}

/** The last result of `knownCounts`: the list of databases requests the same tables repeatedly. */
const lastKnownCounts = new WeakMap<
  Database,
  { readonly data: string; readonly expiresMs: number; readonly counts: ReadonlyMap<string, number> }
>();

const shouldRetry = (known: TableCount, timeLimitMs: number): boolean =>
  timeLimitMs > known.timeLimitMs ||
  known.timeLimitMs < (performance.now() - known.startedMs) * MAX_RETRY_SHARE;
