import type { Database, ReadableTable, Rowhouse, Schema, Table } from "rowhouse/plugin-api";

/** Rows of a table, null when counting takes too long. */
export type CountTable = (readable: ReadableTable) => Promise<number | null>;

/** This share of `sql_time_limit_ms` may be spent on top, once: a busy machine delays something short. */
const SPARE_SHARE = 0.2;

/**
 * Counts tables one after the other, each within `limitMs`. One short delay loses no count: there is a little
 * time to spare, which counts that are quicker than their limit earn back.
 */
export function tableCounter(rowhouse: Rowhouse, database: Database, limitMs: number): CountTable {
  const service = rowhouse.service("tables");
  const mostSpareMs = SPARE_SHARE * rowhouse.setting("sql_time_limit_ms");
  let spareMs = mostSpareMs;
  // One look at the version of the data does for all of them.
  const sinceMs = performance.now();
  return async (readable) => {
    const started = performance.now();
    const count = await service.count(database, readable, limitMs + spareMs, sinceMs);
    const leftMs = limitMs + spareMs - (performance.now() - started);
    spareMs = Math.min(mostSpareMs, Math.max(0, leftMs));
    return count;
  };
}

/** One single-column key, seen from the table it is listed under. */
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
 * Keys of one column to and from a table; those of several columns and those that point nowhere are not published.
 *
 * @param known which tables may be named
 */
export function publishedKeys(table: Table, schema: Schema, known: (name: string) => boolean): PublishedKeys {
  const isListed = (name: string): boolean => schema.tables.has(name) && known(name);
  const publish = (key: Table["incoming"][number]): readonly PublishedKey[] => {
    const [column, ...more] = key.columns;
    const [otherColumn] = key.otherColumns;
    if (column === undefined || otherColumn === undefined || more.length > 0) return [];
    if (!isListed(key.otherTable)) return [];
    return [{ other_table: key.otherTable, column, other_column: otherColumn }];
  };
  return { incoming: table.incoming.flatMap(publish), outgoing: table.foreignKeys.flatMap(publish) };
}
