import { setImmediate as nextTurn } from "node:timers/promises";
import type { DatabaseVersion } from "rowhouse/plugin-api/engine";
import type { Connection } from "../open/connection.js";
import { FileTimes, type FileState } from "../open/file-times.js";

/** Counters of SQLite: commits of other connections, and schema changes. */
interface VersionCounters {
  readonly data: number;
  readonly schema: number;
}

/** A commit whose last write to a file lies long before its end does not show in the times. This limits the consequence. */
const LONGEST_WITHOUT_POLL_MS = 200;

/** The last poll: when it began, and the files before it. */
interface Polled {
  readonly ms: number;
  readonly state: FileState;
}

/**
 * Reads the counters on a connection of its own. Callers share a poll that begins after their call. A call during a poll
 * gets the result of the next poll, because the current one may have missed a commit before the call. If the files are
 * as they were before the last poll, its version is still the current one.
 */
export class VersionPoll {
  #next: Promise<DatabaseVersion> | null = null;
  #current: Promise<DatabaseVersion> | null = null;
  /** A time at which the current version was the version of the database. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #times: FileTimes | null | undefined;
  #polled: Polled | null = null;
  #commits = 0;

  constructor(
    private readonly path: string | null,
    private readonly poll: () => Promise<DatabaseVersion>,
  ) {}

  /** @param sinceMs a version that was current at this time or later may be returned */
  read(sinceMs = Number.POSITIVE_INFINITY): Promise<DatabaseVersion> {
    if (this.#current !== null && this.#asOfMs >= sinceMs) return this.#current;
    this.#next ??= this.#confirmOrPoll();
    return this.#next;
  }

  /** After a commit of this process the next call polls, whatever the times show. */
  forget(): void {
    this.#commits += 1;
    this.#polled = null;
  }

  async #confirmOrPoll(): Promise<DatabaseVersion> {
    await this.#current?.catch(() => undefined);
    if (this.#times === undefined) this.#times = await FileTimes.of(this.path);
    // All calls of this turn of the event loop share the result: their requests are answered together, which takes less
    // time than to wake their clients one by one.
    await nextTurn();
    this.#next = null;
    this.#asOfMs = performance.now();
    if (this.#current !== null && this.#isUnchanged()) return this.#current;
    return this.#pollAgain();
  }

  #isUnchanged(): boolean {
    if (!this.#polled || !this.#times || this.#asOfMs - this.#polled.ms > LONGEST_WITHOUT_POLL_MS)
      return false;
    return this.#times.isStill(this.#polled.state);
  }

  async #pollAgain(): Promise<DatabaseVersion> {
    this.#polled = null;
    const ms = this.#asOfMs;
    const commits = this.#commits;
    const state = this.#times?.settled() ?? null;
    this.#current = this.poll();
    const version = await this.#current;
    if (state !== null && commits === this.#commits) this.#polled = { state, ms };
    return version;
  }
}

const lastCounters = new WeakMap<Connection, VersionCounters>();

/**
 * Reads both counters. `data` counts no commits of this connection, so it must never write. While `data` is the same,
 * `schema` is too: to read only one counter takes a third of the time.
 */
export async function readVersionCounters({
  connection,
}: {
  readonly connection: Connection;
}): Promise<VersionCounters> {
  const last = lastCounters.get(connection);
  const [known] = await connection.all<{ data_version: number }>({ sql: "pragma data_version" });
  if (last !== undefined && known?.data_version === last.data) return last;
  const counters = await readBoth(connection);
  lastCounters.set(connection, counters);
  return counters;
}

async function readBoth(connection: Connection): Promise<VersionCounters> {
  const [row] = await connection.all<VersionCounters>({
    sql: 'select data_version as "data", schema_version as "schema" from pragma_data_version, pragma_schema_version',
  });
  return row ?? { data: 0, schema: 0 };
}

/** @param generation of the file: counters of different files cannot be compared */
export const asVersion = ({ data, schema }: VersionCounters, generation: number): DatabaseVersion => ({
  schema: `${generation}.${schema}`,
  data: `${generation}.${schema}.${data}`,
});
