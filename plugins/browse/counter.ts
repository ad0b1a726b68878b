import type { Database, Rowhouse, Table } from "rowhouse/plugin-api";

/** Rows of a table, null when counting takes too long. */
export type CountTable = (table: Table) => Promise<number | null>;

/**
 * Counts tables one after the other. What one leaves of its time the next may use: all of them together take
 * no longer than `limitMs` each, and one short delay loses no count.
 */
export function tableCounter(rowhouse: Rowhouse, database: Database, limitMs: number): CountTable {
  const service = rowhouse.serviceIfAny("tables");
  let spareMs = 0;
  return async (table) => {
    if (service === null) return null;
    const allowedMs = spareMs + limitMs;
    const started = performance.now();
    const count = await service.count(database, table, allowedMs);
    spareMs = Math.max(0, allowedMs - (performance.now() - started));
    return count;
  };
}
