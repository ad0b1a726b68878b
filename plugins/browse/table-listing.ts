import type { Database, Rowhouse, Schema, Table } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { SqlFailed } from "rowhouse/plugin-api/errors";

/** Number of rows of a table; null if counting exceeds the time limit. */
export type CountTable = (readable: ReadableTable) => Promise<number | null>;

export interface CountedDatabase {
  readonly database: Database;
  /** When the request was received: one check of the data version is enough for all parts of its page. */
  readonly sinceMs: number;
}

/** Extra time for all counts together, as a share of `sql_time_limit_ms`: short delays are usual on a busy machine. */
const SPARE_SHARE = 0.2;

/**
 * Counts tables sequentially, each within `limitMs` plus some spare time. Counts that are faster than their limit
 * restore the spare time, so a single short delay does not lose a count.
 */
export function tableCounter(
  rowhouse: Rowhouse,
  { database, sinceMs }: CountedDatabase,
  limitMs: number,
): CountTable {
  const service = rowhouse.service("tables");
  const mostSpareMs = SPARE_SHARE * rowhouse.setting("sql_time_limit_ms");
  let spareMs = mostSpareMs;
  return async (readable) => {
    const started = performance.now();
    const count = await service.count(database, readable, limitMs + spareMs, sinceMs);
    const leftMs = limitMs + spareMs - (performance.now() - started);
    spareMs = Math.min(mostSpareMs, Math.max(0, leftMs));
    return count;
  };
}

/**
 * The number of rows of a table, or an estimate if counting exceeds the time limit. There is neither of a table that the
 * engine can't read, such as one of another server that is down, or a damaged one. The page of the table shows the error.
 */
export async function countOrEstimate(
  countTable: CountTable,
  database: Database,
  readable: ReadableTable,
): Promise<{ readonly count: number | null; readonly estimate: number | null }> {
  try {
    const count = await countTable(readable);
    return { count, estimate: count === null ? await estimatedCount(database, readable) : null };
  } catch (error) {
    if (isOfTable(error)) return { count: null, estimate: null };
    throw error;
  }
}

/** Errors of the whole file have the status 503, too. */
const isOfTable = (error: unknown): boolean =>
  error instanceof SqlFailed &&
  (error.status === 400 || error.kind === "unreachable" || error.kind === "corrupt");

/**
 * The engine's estimate of the number of rows; null for engines that do not estimate. It follows from all rows, so there
 * is none for actors who may read only some of them.
 */
async function estimatedCount(
  database: Database,
  { flattenable, params, restricted }: ReadableTable,
): Promise<number | null> {
  if (restricted) return null;
  return (await database.estimateRows?.(`select 1 from ${flattenable}`, params)) ?? null;
}

/** A foreign key of one column, as listed for one of its tables. */
export interface PublishedKey {
  readonly other_table: string;
  readonly column: string;
  readonly other_column: string;
}

export interface PublishedKeys {
  readonly incoming: readonly PublishedKey[];
  readonly outgoing: readonly PublishedKey[];
}

/**
 * Foreign keys of one column to and from a table. Compound keys and keys to missing tables are not published.
 *
 * @param known whether a column of another table may be named
 */
export function publishedKeys(
  table: Table,
  schema: Schema,
  known: (table: string, column: string) => boolean,
): PublishedKeys {
  const publish = (key: Table["incoming"][number]): readonly PublishedKey[] => {
    const [column, ...more] = key.columns;
    const [otherColumn] = key.otherColumns;
    if (column === undefined || otherColumn === undefined || more.length > 0) return [];
    if (!schema.tables.has(key.otherTable) || !known(key.otherTable, otherColumn)) return [];
    return [{ other_table: key.otherTable, column, other_column: otherColumn }];
  };
  return { incoming: table.incoming.flatMap(publish), outgoing: table.foreignKeys.flatMap(publish) };
}
