import type { DatabaseVersion } from "rowhouse/plugin-api";
import type { Connection } from "./connection.js";

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
  #next: Promise<Counters> | null = null;
  #current: Promise<unknown> = Promise.resolve();

  constructor(private readonly poll: () => Promise<Counters>) {}

  ask(): Promise<Counters> {
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async #afterCurrent(): Promise<Counters> {
    await this.#current;
    this.#next = null;
    const poll = this.poll();
    this.#current = poll.catch(() => undefined);
    return poll;
  }
}

/** Both counters in one statement. Only a connection that never writes sees every commit. */
export async function readCounters(connection: Connection): Promise<Counters> {
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
