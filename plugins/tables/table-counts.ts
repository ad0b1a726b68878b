import { LRUCache } from "lru-cache";
import type { Database, Rowhouse } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { dependsOnDataAlone, hasStoredRows, paramsKey } from "rowhouse/plugin-api/engine";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import { QueryInterrupted, SqlFailed } from "rowhouse/plugin-api/errors";
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

/**
 * The numbers of rows of tables, by name. Those of the tables that are not cached are read with few statements. Views,
 * tables of which an actor may read only a part, and those that take long to count are missing, if they are not cached.
 */
export async function countTables(
  rowhouse: Rowhouse,
  database: Database,
  readables: readonly ReadableTable[],
  sinceMs: number,
): Promise<ReadonlyMap<string, number>> {
  const { data } = await database.version(sinceMs);
  const last = lastCounts.get(database);
  if (last !== undefined && isSame(last, data, readables)) return last.counts;
  const counts = countsOf(database);
  const uncounted = readables.filter(
    ({ table, restricted }) =>
      !restricted &&
      hasStoredRows(table) &&
      isUncounted(counts.get(table.name), data) &&
      inspectedCount(rowhouse, database, table) === null,
  );
  if (uncounted.length > 1 && failedData.get(database) !== data)
    await countTogether(database, uncounted, data);
  return knownCounts(database, readables, data);
}

/** False also for a table that took long before the data changed. */
const isUncounted = (known: TableCount | undefined, data: string): boolean =>
  known === undefined || (known.dataVersion !== data && typeof known.result === "number");

/** Tables that are counted with one statement. */
const TABLES_AT_ONCE = 50;
const TOGETHER_LIMIT_MS = 50;

/** The data with which counting together failed. The tables are left to `countTable` until it changes. */
const failedData = new WeakMap<Database, string>();

async function countTogether(
  database: Database,
  readables: readonly ReadableTable[],
  data: string,
): Promise<void> {
  const counts = countsOf(database);
  for (let start = 0; start < readables.length; start += TABLES_AT_ONCE) {
    const some = readables.slice(start, start + TABLES_AT_ONCE);
    const made = { dataVersion: data, timeLimitMs: TOGETHER_LIMIT_MS, startedMs: performance.now() };
    const results = await countsAtOnce(database, some);
    if (results === null) return void failedData.set(database, data);
    for (const [index, result] of results.entries()) {
      const name = some[index]?.table.name ?? "";
      counts.set(name, { ...made, count: Promise.resolve(result), result, expiresMs: Infinity });
    }
  }
}

/** The numbers of rows in the order of the tables; null if counting takes long, or if a table can't be read. */
async function countsAtOnce(
  database: Database,
  readables: readonly ReadableTable[],
): Promise<readonly number[] | null> {
  const sql = `select ${readables.map(({ flattenable }) => `(select count(*) from ${flattenable})`).join(", ")}`;
  const columns = readables.map((_, index) => `count${index}`);
  try {
    const { rows } = await database.read(sql, [], { columns, timeLimitMs: TOGETHER_LIMIT_MS });
    return (rows[0] ?? []).map(Number);
  } catch (error) {
    if (error instanceof SqlFailed || error instanceof QueryInterrupted) return null;
    throw error;
  }
}

/** The counts that are cached and still valid. */
function knownCounts(
  database: Database,
  readables: readonly ReadableTable[],
  data: string,
): ReadonlyMap<string, number> {
  const counts = countsOf(database);
  const nowMs = performance.now();
  const known = new Map<string, number>();
  let expiresMs = Infinity;
  for (const { table, restricted } of readables) {
    const one = restricted ? undefined : counts.get(table.name);
    if (one?.dataVersion !== data || one.expiresMs <= nowMs || typeof one.result !== "number") continue;
    known.set(table.name, one.result);
    expiresMs = Math.min(expiresMs, one.expiresMs);
  }
  lastCounts.set(database, { data, expiresMs, counts: known });
  return known;
}

interface LastCounts {
  readonly data: string;
  readonly expiresMs: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The last result of `countTables`: the list of databases requests the same tables repeatedly. */
const lastCounts = new WeakMap<Database, LastCounts>();

const isSame = (last: LastCounts, data: string, readables: readonly ReadableTable[]): boolean =>
  last.data === data &&
  last.expiresMs > performance.now() &&
  last.counts.size === readables.length &&
  readables.every(({ table, restricted }) => !restricted && last.counts.has(table.name));

const shouldRetry = (known: TableCount, timeLimitMs: number): boolean =>
  timeLimitMs > known.timeLimitMs ||
  known.timeLimitMs < (performance.now() - known.startedMs) * MAX_RETRY_SHARE;
