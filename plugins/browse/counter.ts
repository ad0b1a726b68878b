import type { Database, ReadableTable, Rowhouse } from "rowhouse/plugin-api";

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
