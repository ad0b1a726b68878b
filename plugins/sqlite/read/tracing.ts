import { channel } from "node:diagnostics_channel";
import type { SqlTrace } from "rowhouse/plugin-api";
import type { Query } from "./query.js";

const traces = channel("rowhouse:sql");

/** Runs `ask` and publishes what was asked and how long it took, if anybody listens. */
export const traceQuery = <T>(database: string, question: Query, ask: () => Promise<T>): Promise<T> =>
  traces.hasSubscribers ? timed(database, question, ask) : ask();

async function timed<T>(database: string, question: Query, ask: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  try {
    return await ask();
  } finally {
    const { statement, params = {} } = question;
    const endedMs = performance.now();
    traces.publish({ database, sql: statement.sql, params, startedMs, endedMs } satisfies SqlTrace);
  }
}
