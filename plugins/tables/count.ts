import { LRUCache } from "lru-cache";
import type { Database, Request, Rowhouse, Table } from "rowhouse/plugin-api";
import type { ReadableTable, Selection } from "rowhouse/plugin-api/contracts";
import { dependsOnDataAlone, hasStoredRows, paramsKey, type ReadOptions } from "rowhouse/plugin-api/engine";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import { cached, unlessInterrupted, varyingLifetimeMs } from "./version-cache.js";

/** A number of rows: counted, or estimated by the engine because counting takes long. */
interface KnownCount {
  readonly kind: "exact" | "estimate";
  readonly rows: number;
}

/** A number of rows, or `pending` while a large file is still being counted. */
export type RowCount = KnownCount | { readonly kind: "pending"; readonly rows: null };

const PENDING: RowCount = { kind: "pending", rows: null };

/** A page waits for the count of a file of this size for `MAX_WAIT_MS`. A later page shows it. */
const LARGE_FILE_BYTES = 100_000_000;
const MAX_WAIT_MS = 100;

/** Engines that estimate are not asked to count for longer: every write of any process makes a count outdated. */
const EXACT_COUNT_MS = 500;

/**
 * Number of rows in a selection, cached until the data changes; null if counting exceeds the time limit, and the engine
 * does not estimate or must not. Counting a large file continues after this has returned `pending`.
 */
export async function countSelection(
  rowhouse: Rowhouse,
  request: Request,
  { database, fromWhere, params, ...selection }: Selection,
  mayEstimate: boolean,
): Promise<RowCount | null> {
  const key = `count ${mayEstimate ? "or estimate " : ""}${fromWhere} ${paramsKey(params)}`;
  const longestMs = rowhouse.setting("sql_time_limit_ms");
  const estimates = mayEstimate && !selection.untrusted && database.estimateRows !== undefined;
  const counting = cached<KnownCount | null>(request, { database, table: selection.table }, key, async () => {
    const rows = await countRows(database, `select count(*) ${fromWhere}`, params, {
      timeLimitMs: estimates ? Math.min(longestMs, EXACT_COUNT_MS) : longestMs,
      ...readOptionsOf(selection),
    });
    if (rows !== null) return { kind: "exact", rows };
    const estimate = estimates ? await database.estimateRows?.(`select 1 ${fromWhere}`, params) : null;
    return typeof estimate === "number" ? { kind: "estimate", rows: estimate } : null;
  });
  return estimates ? counting : orPending(database, counting);
}

/** The size of the file and not the time alone decides, so that a busy machine still counts small tables. */
function orPending(database: Database, counting: Promise<RowCount | null>): Promise<RowCount | null> {
  return new Promise((resolve, reject) => {
    const giveUp = async (): Promise<void> => {
      const { sizeBytes } = await database.describe();
      if (sizeBytes >= LARGE_FILE_BYTES) resolve(PENDING);
    };
    // An error of `describe` says nothing about the count.
    const timer = setTimeout(() => void giveUp().catch(() => {}), MAX_WAIT_MS);
    void counting.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

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
  const last = lastKnownCounts.get(database);
  const isSame =
    last?.data === data &&
    last.counts.size === readables.length &&
    readables.every(({ table, restricted }) => !restricted && last.counts.has(table.name));
  if (isSame) return last.counts;
  for (const { table, restricted } of readables) {
    const one = restricted ? undefined : counts.get(table.name);
    if (one?.dataVersion === data && typeof one.result === "number") known.set(table.name, one.result);
  }
  lastKnownCounts.set(database, { data, counts: known });
  return known;
}

/** The last result of `knownCounts`: the list of databases requests the same tables repeatedly. */
const lastKnownCounts = new WeakMap<
  Database,
  { readonly data: string; readonly counts: ReadonlyMap<string, number> }
>();

const shouldRetry = (known: TableCount, timeLimitMs: number): boolean =>
  timeLimitMs > known.timeLimitMs ||
  known.timeLimitMs < (performance.now() - known.startedMs) * MAX_RETRY_SHARE;

/** The count of an immutable database's table in the inspect file; null if there is none. */
export function inspectedCount(rowhouse: Rowhouse, database: Database, table: Table): number | null {
  if (database.mutable) return null;
  const tables = rowhouse.option("inspect")?.[database.name]?.tables;
  return tables !== undefined && Object.hasOwn(tables, table.name)
    ? (tables[table.name]?.count ?? null)
    : null;
}

/** The result of a statement that counts; null if it exceeds the time limit. */
export async function countRows(
  database: Database,
  sql: string,
  params: Selection["params"],
  options: ReadOptions,
): Promise<number | null> {
  const found = await unlessInterrupted(database.read(sql, params, { ...options, columns: ["count(*)"] }));
  return found === null ? null : Number(found.rows[0]?.[0] ?? 0);
}
