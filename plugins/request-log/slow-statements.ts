import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Rowhouse } from "rowhouse/plugin-api";
import type { SqlTrace } from "rowhouse/plugin-api/contracts";

const CHANNEL = "rowhouse:sql";
/** Longer statements are cut: a log line should fit on a screen, and many collectors cut lines at 16 kB. */
const MAX_SQL_CHARACTERS = 2_000;

/** Warns about statements that take longer than `slow_sql_ms`, without the values of their parameters. */
export function logSlowStatements(rowhouse: Rowhouse): { start(): void; stop(): void } {
  const limitMs = rowhouse.setting("slow_sql_ms");
  const look = (message: unknown): void => {
    const { database, sql, startedMs, endedMs } = message as SqlTrace;
    const ms = endedMs - startedMs;
    // Other servers in this process publish on the same channel.
    if (ms < limitMs || !rowhouse.databases.has(database)) return;
    rowhouse.log.warn(`A statement on ${database} took ${Math.round(ms)} ms: ${shortened(sql)}`, {
      database,
      sql_ms: Math.round(ms),
    });
  };
  return {
    start: () => (limitMs > 0 ? subscribe(CHANNEL, look) : undefined),
    stop: () => void unsubscribe(CHANNEL, look),
  };
}

const shortened = (sql: string): string =>
  sql.length > MAX_SQL_CHARACTERS ? `${sql.slice(0, MAX_SQL_CHARACTERS)} ...` : sql;
