import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "rowhouse/plugin-api";
import type { WriteOptions } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable, NestedWrite, SchemaChanged, UnknownOutcome } from "rowhouse/plugin-api/errors";
import type { Cluster } from "../connect/cluster.js";
import { isConnectionLost, isSerializationFailure } from "../connect/errors.js";
import { logPosition } from "../connect/hosts.js";
import type { Session } from "../connect/session.js";
import type { Versions } from "../schema/versions.js";
import { BEGIN, WriteTransaction } from "./transaction.js";

export interface WriterPlan {
  readonly database: string;
  readonly cluster: Cluster;
  readonly versions: Versions;
  /** Milliseconds to wait for locks of others. */
  readonly lockWaitMs: number;
  /** With standbys, reads must know the log position of the last write. */
  readonly hasStandbys: boolean;
}

/** A transaction that conflicts with one of another process is repeated this often. */
const MAX_ATTEMPTS = 5;

/** Runs writes one at a time, in the order of the calls. */
export class Writer {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** The write that the current code is part of. A task that it started may outlive it. */
  readonly #inside = new AsyncLocalStorage<{ isOver: boolean }>();

  constructor(private readonly plan: WriterPlan) {}

  write<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T> = {}): Promise<T> {
    if (this.#inside.getStore()?.isOver === false) throw new NestedWrite(this.plan.database);
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    const own = { isOver: false };
    const writing = this.#last
      .then(() => this.#inside.run(own, () => this.#attempts(work, options)))
      .finally(() => (own.isOver = true));
    this.#last = writing.catch(() => undefined);
    return writing;
  }

  /** Completes the queued writes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  async #attempts<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, options);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isSerializationFailure(causeOf(error))) throw error;
        await sleep(2 ** attempt);
      }
    }
  }

  async #attempt<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T>): Promise<T> {
    const { cluster } = this.plan;
    const { pool, host } = await cluster.pool("write");
    const session = await pool.borrow();
    let failure: unknown;
    try {
      return options.transaction === false
        ? await this.#outside(session, work)
        : await this.#inTransaction(session, work, options);
    } catch (error) {
      failure = error;
      cluster.noteError(host, error, "write");
      throw error;
    } finally {
      session.release(failure);
    }
  }

  async #outside<T>(session: Session, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = new WriteTransaction(session, (one) => this.plan.versions.at(one), false);
    try {
      return await work(transaction);
    } finally {
      transaction.end();
    }
  }

  async #inTransaction<T>(
    session: Session,
    work: (transaction: Transaction) => Promise<T>,
    { timeoutMs = this.plan.lockWaitMs, dryRun = false, schema = null }: WriteOptions<T>,
  ): Promise<T> {
    await session.exec(`${BEGIN}; set local lock_timeout to ${Math.max(1, Math.round(timeoutMs))}`);
    const transaction = new WriteTransaction(session, (one) => this.plan.versions.at(one));
    let result: T;
    try {
      if (schema !== null && (await this.plan.versions.fingerprint(session)) !== schema.version) {
        throw new SchemaChanged();
      }
      result = await work(transaction);
      if (transaction.lost !== null) throw transaction.lost;
    } catch (error) {
      transaction.end();
      await session.exec("rollback").catch(() => undefined);
      throw error;
    }
    transaction.end();
    await (dryRun ? session.exec("rollback") : this.#commit(session));
    return result;
  }

  /** @throws UnknownOutcome if the connection ends before the server has confirmed the commit */
  async #commit(session: Session): Promise<void> {
    try {
      await session.exec("commit");
    } catch (error) {
      if (isConnectionLost(causeOf(error))) throw new UnknownOutcome({ cause: causeOf(error) });
      throw error;
    }
    if (!this.plan.hasStandbys) return;
    const { rows } = await session.run({ text: "select pg_current_wal_lsn()", values: [] });
    this.plan.cluster.noteWrite(logPosition(rows[0]?.[0] ?? "0/0"));
  }
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;
