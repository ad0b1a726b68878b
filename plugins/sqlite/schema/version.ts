import type { DatabaseVersion } from "rowhouse/plugin-api/engine";
import type { Connection } from "../open/connection.js";

/** Counters of SQLite: commits of other connections, and schema changes. */
interface Counters {
  readonly data: number;
  readonly schema: number;
}

/**
 * Reads the counters on a connection of its own. Callers share a poll that begins after their call. A call during a poll
 * gets the result of the next poll, because the current one may have missed a commit before the call.
 */
export class VersionPoll {
  #next: Promise<DatabaseVersion> | null = null;
  #current: Promise<DatabaseVersion> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly poll: () => Promise<DatabaseVersion>) {}

  /** @param sinceMs a poll that began at this time or later may be returned */
  read(sinceMs = Number.POSITIVE_INFINITY): Promise<DatabaseVersion> {
    if (this.#current !== null && this.#beganMs >= sinceMs) return this.#current;
    this.#next ??= this.#pollAfterCurrent();
    return this.#next;
  }

  async #pollAfterCurrent(): Promise<DatabaseVersion> {
    await this.#current?.catch(() => undefined);
    this.#next = null;
    this.#beganMs = performance.now();
    this.#current = this.poll();
    return this.#current;
  }
}

const lastCounters = new WeakMap<Connection, Counters>();

/**
 * Reads both counters. `data` counts no commits of this connection, so it must never write. While `data` is the same,
 * `schema` is too: to read only one counter takes a third of the time.
 */
export async function readCounters({ connection }: { readonly connection: Connection }): Promise<Counters> {
  const last = lastCounters.get(connection);
  const [known] = await connection.all<{ data_version: number }>({ sql: "pragma data_version", values: [] });
  if (last !== undefined && known?.data_version === last.data) return last;
  const counters = await readBoth(connection);
  lastCounters.set(connection, counters);
  return counters;
}

async function readBoth(connection: Connection): Promise<Counters> {
  const [row] = await connection.all<Counters>({
    sql: 'select data_version as "data", schema_version as "schema" from pragma_data_version, pragma_schema_version',
    values: [],
  });
  return row ?? { data: 0, schema: 0 };
}

/** @param generation of the file: counters of different files cannot be compared */
export const asVersion = ({ data, schema }: Counters, generation: number): DatabaseVersion => ({
  schema: `${generation}.${schema}`,
  data: `${generation}.${schema}.${data}`,
});
