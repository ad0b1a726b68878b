import type { Database, ReadableTable, Rowhouse } from "rowhouse/plugin-api";

/** Rows of a table, null when counting takes too long. */
export type CountTable = (readable: ReadableTable) => Promise<number | null>;

/** How many times the limit of one table may be spent on top of it, once: a busy machine delays something short. */
const SPARE_LIMITS = 20;

/**
 * Counts tables one after the other, each within `limitMs`. One short delay loses no count: there is a little
 * time to spare, which counts that are quicker than their limit earn back.
 */
export function tableCounter(rowhouse: Rowhouse, database: Database, limitMs: number): CountTable {
  const service = rowhouse.serviceIfAny("tables");
  const mostSpareMs = SPARE_LIMITS * limitMs;
  let spareMs = mostSpareMs;
  // One look at the version of the data does for all of them.
  const sinceMs = performance.now();
  return async (readable) => {
    if (service === null) return null;
    const started = performance.now();
    const count = await service.count(database, readable, limitMs + spareMs, sinceMs);
    const leftMs = limitMs + spareMs - (performance.now() - started);
    spareMs = Math.min(mostSpareMs, Math.max(0, leftMs));
    return count;
  };
}
