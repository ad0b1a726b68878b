import type { DatabaseVersion } from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";

/** Counters SQLite keeps: of commits by others than the asking connection, and of schema changes. */
export interface Counters {
  readonly data: number;
  readonly schema: number;
}

/**
 * Asks one connection of its own for the counters. Everybody who asks before a poll begins gets its answer;
 * who asks while one is under way gets the next one's, so that nobody misses what was committed before.
 */
export class VersionPoll {
  #next: Promise<DatabaseVersion> | null = null;
  #current: Promise<DatabaseVersion> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly poll: () => Promise<DatabaseVersion>) {}

  /** @param sinceMs a poll that began then or later will do */
  read(sinceMs = Number.POSITIVE_INFINITY): Promise<DatabaseVersion> {
    if (this.#current !== null && this.#beganMs >= sinceMs) return this.#current;
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async #afterCurrent(): Promise<DatabaseVersion> {
    await this.#current?.catch(() => undefined);
    this.#next = null;
    this.#beganMs = performance.now();
    this.#current = this.poll();
    return this.#current;
  }
}

/** Both counters in one statement. Only a connection that never writes sees every commit. */
export async function readCounters({ connection }: { readonly connection: Connection }): Promise<Counters> {
  const [row] = await connection.all<Counters>({
    sql: 'select data_version as "data", schema_version as "schema" from pragma_data_version, pragma_schema_version',
    values: [],
  });
  return row ?? { data: 0, schema: 0 };
}

/** @param generation of the file: counters of another file mean nothing */
export const asVersion = ({ data, schema }: Counters, generation: number): DatabaseVersion => ({
  schema: `${generation}.${schema}`,
  data: `${generation}.${schema}.${data}`,
});
