import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type Database, type Rowhouse } from "rowhouse/plugin-api";

/** Why a database can't be used. */
export interface Problem {
  readonly database: string;
  readonly reason: string;
}

/** A database that answers later than this counts as unavailable. */
const ANSWER_LIMIT_MS = 2_000;
/** Probes of several supervisors share one look at the databases. */
const KEPT_MS = 500;

/** Returns a function that looks at all databases, at most every half second. */
export function databaseProblems(rowhouse: Rowhouse): () => Promise<readonly Problem[]> {
  let latest: Promise<readonly Problem[]> = Promise.resolve([]);
  let expiresMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() < expiresMs) return latest;
    // Concurrent requests share the look that has begun.
    expiresMs = Number.POSITIVE_INFINITY;
    latest = findProblems(rowhouse).finally(() => (expiresMs = performance.now() + KEPT_MS));
    return latest;
  };
}

async function findProblems(rowhouse: Rowhouse): Promise<readonly Problem[]> {
  const found = await Promise.all([...rowhouse.databases.values()].map(problemOf));
  return found.flat();
}

async function problemOf(database: Database): Promise<readonly Problem[]> {
  const giveUp = new AbortController();
  const late = sleep(ANSWER_LIMIT_MS, `No answer within ${ANSWER_LIMIT_MS} ms`, { signal: giveUp.signal });
  try {
    const reason = await Promise.race([reasonOf(database), late]);
    return reason === null ? [] : [{ database: database.name, reason }];
  } finally {
    giveUp.abort();
    late.catch(() => undefined);
  }
}

/** A read-only database can be served, except the internal one, which Rowhouse writes to. */
async function reasonOf(database: Database): Promise<string | null> {
  try {
    const { state, reason } = await database.health();
    if (state === "unavailable") return reason ?? "It can't be read";
    return database.internal && state === "read-only"
      ? "The file of the internal database is read-only"
      : null;
  } catch (error) {
    return messageOf(error);
  }
}
