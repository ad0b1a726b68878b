import { QueryInterrupted, jsonText } from "rowhouse/plugin-api";
import type {
  Database,
  ReadOptions,
  ReadableTable,
  Request,
  Rowhouse,
  Selection,
  Table,
} from "rowhouse/plugin-api";
import { cached } from "./version-cache.js";

/** Rows that a selection finds, remembered until the data changes; null when counting takes too long. */
export async function countSelection(
  rowhouse: Rowhouse,
  request: Request,
  { database, fromWhere, params, ...selection }: Selection,
): Promise<number | null> {
  const key = `count ${fromWhere} ${jsonText(params)}`;
  return cached(request, database, key, () =>
    countRows(database, `select count(*) ${fromWhere}`, params, {
      timeLimitMs: rowhouse.setting("sql_time_limit_ms"),
      ...readOptionsOf(selection),
    }),
  );
}

/** A count of a whole table, being made or made. */
interface TableCount {
  readonly data: string;
  readonly timeLimitMs: number;
  /** As `performance.now()` counts. */
  readonly startedMs: number;
  /** Null when the time was over. */
  readonly count: Promise<number | null>;
  /** Once it is made. */
  result?: number | null;
}

/** How far a statement over a selection is trusted, and what it may read. */
export const readOptionsOf = ({
  stranger,
  confine,
}: Pick<Selection, "stranger" | "confine">): Pick<ReadOptions, "trust" | "confine"> => ({
  trust: stranger ? "stranger" : "trusted",
  ...(confine !== null && { confine }),
});

const tableCounts = new WeakMap<Database, Map<string, TableCount>>();
// A machine that is busy now may count the same rows in time a little later. This much of the time may go into that.
const MAX_RETRY_SHARE = 0.01;

/**
 * Rows of a table that an actor may read, remembered until the data changes; null when counting takes longer.
 * That is remembered too, for a hundred times as long as it took, so that a table too large to count costs next
 * to nothing.
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
  const counts = tableCounts.get(database) ?? new Map<string, TableCount>();
  tableCounts.set(database, counts);
  const { data } = await database.version(sinceMs);
  // What one actor may read is not what another may.
  const known = restricted ? undefined : counts.get(table.name);
  if (known?.data === data) {
    const count = await known.count;
    if (count !== null || !shouldRetry(known, timeLimitMs)) return count;
  }
  const count = countRows(database, `select count(*) from ${source}`, params, { timeLimitMs });
  if (restricted) return count;
  const made: TableCount = { data, timeLimitMs, startedMs: performance.now(), count };
  counts.set(table.name, made);
  count.then(
    (result) => (made.result = result),
    // Whoever asked is told; nobody else shall be.
    () => counts.delete(table.name),
  );
  return count;
}

/** The counts among these that are remembered and still hold, by table. */
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
    if (one?.data === data && typeof one.result === "number") known.set(table.name, one.result);
  }
  lastKnownCounts.set(database, { data, counts: known });
  return known;
}

/** The answer before: the same tables are asked about again and again. */
const lastKnownCounts = new WeakMap<
  Database,
  { readonly data: string; readonly counts: ReadonlyMap<string, number> }
>();

const shouldRetry = (known: TableCount, timeLimitMs: number): boolean =>
  timeLimitMs > known.timeLimitMs ||
  known.timeLimitMs < (performance.now() - known.startedMs) * MAX_RETRY_SHARE;

/** The count an inspect file has for a table of an immutable database, else null. */
export function inspectedCount(rowhouse: Rowhouse, database: Database, table: Table): number | null {
  if (database.mutable) return null;
  const tables = rowhouse.option("inspect")?.[database.name]?.tables;
  return tables !== undefined && Object.hasOwn(tables, table.name)
    ? (tables[table.name]?.count ?? null)
    : null;
}

async function countRows(
  database: Database,
  sql: string,
  params: Selection["params"],
  options: ReadOptions,
): Promise<number | null> {
  try {
    const { rows } = await database.read(sql, params, { ...options, columns: ["count(*)"] });
    return Number(rows[0]?.[0] ?? 0);
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}
