import type pg from "pg";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { BoundSql } from "../sql/statement.js";
import { allEnded } from "./all-ended.js";
import type { SessionKey } from "./cancel.js";
import { asRowhouseError, causeOf, isConnectionLost, noteErrorOfPrepared } from "./errors.js";
import { MAX_PREPARED, type StatementNames } from "./statement-names.js";
import { limitReceived } from "./received-bytes.js";
import { TextQuery, type TextResult } from "./text-query.js";

/** Limits of one statement. */
export interface Limits {
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The greatest size of all rows as the server sends them. Default: none, because rows have a limit each. */
  readonly maxResultBytes?: number | undefined;
}

/** Cancels the statement that a session runs. */
export type Cancel = (session: SessionKey) => Promise<void>;

/** What a session has in common with the others of its pool. */
export interface SessionPlan {
  readonly cancel: Cancel;
  /** Names for prepared statements; null if statements are not to be prepared. */
  readonly names: StatementNames | null;
  /** The greatest size of a row as the server sends it. */
  readonly maxRowBytes: number;
  /** Statements that begin each transaction; null if the session keeps its settings. */
  readonly transactionSettings: string | null;
  /** The names that this session has used. */
  readonly prepared: Set<string>;
}

/**
 * A session with a server, always with the extended protocol for statements with values, which takes only one statement.
 * Calls that do not wait for each other are sent together, and run in their order.
 */
export class Session {
  #isInvalid = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly plan: SessionPlan,
  ) {}

  /**
   * The same object for all sessions over one connection to a server. A connection to a pooler of transactions leads to
   * another session of the server each time, so its object is always new.
   */
  get connection(): object {
    return this.plan.transactionSettings === null ? this.client : {};
  }

  /** Runs a statement. @throws QueryInterrupted at the time limit, and other errors of Rowhouse */
  async run(bound: BoundSql, limits: Limits = {}): Promise<TextResult> {
    const { text } = bound;
    const name = this.plan.names?.nameOf(text);
    if (name !== undefined) this.plan.prepared.add(name);
    return this.#within(limits, async () => {
      try {
        return await this.#answer(bound, name, limits);
      } catch (error) {
        if (name !== undefined && noteErrorOfPrepared(error)) this.plan.names?.forget(text);
        throw error;
      }
    });
  }

  /** Begins a transaction. If that fails, statements that were sent behind it run outside of one. */
  async begin(sql: string): Promise<void> {
    const { transactionSettings: settings } = this.plan;
    try {
      await this.exec(settings === null ? sql : `${sql}; ${settings}`);
    } catch (error) {
      this.invalidate();
      throw error;
    }
  }

  /** Runs statements with the settings of the session: in a transaction, if only that has them. */
  async withSettings<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.plan.transactionSettings === null) return work(this);
    const begun = this.begin("begin");
    try {
      const [, result] = await Promise.all([begun, work(this)]);
      await this.exec("commit");
      return result;
    } catch (error) {
      await this.exec("rollback").catch(() => this.invalidate());
      throw error;
    }
  }

  /** Runs a statement that is a transaction by itself, in one round trip. */
  async runCommitted(bound: BoundSql): Promise<TextResult> {
    if (this.plan.transactionSettings === null) return this.run(bound);
    const [, result] = await this.together(() =>
      // After a failure, COMMIT rolls back.
      allEnded([this.begin("begin isolation level read committed"), this.run(bound), this.exec("commit")]),
    );
    return result;
  }

  /** Sends the statements that `run` begins before it first waits in one piece. */
  together<T>(run: () => T): T {
    const { stream } = this.client.connection;
    stream.cork();
    try {
      return run();
    } finally {
      stream.uncork();
    }
  }

  /** Runs statements of Rowhouse without parameters and results, in one round trip. */
  async exec(sql: string): Promise<void> {
    try {
      await this.client.query(sql);
    } catch (error) {
      throw asRowhouseError(error);
    }
  }

  /** Returns the session to its pool, or closes it if it can't be used any more. */
  release(error?: unknown): void {
    const isLost = error !== undefined && isConnectionLost(causeOf(error));
    this.client.release(isLost || this.#isInvalid || this.plan.prepared.size > MAX_PREPARED);
  }

  /** The session is closed when it is released. Its server rolls back what it has begun. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  #answer(
    bound: BoundSql,
    name: string | undefined,
    { maxResultBytes = Number.POSITIVE_INFINITY }: Limits,
  ): Promise<TextResult> {
    const { stream } = this.client.connection;
    const received = limitReceived(stream, {
      rowBytes: this.plan.maxRowBytes,
      resultBytes: maxResultBytes,
    });
    return new Promise((resolve, reject) => {
      const query = new TextQuery(bound, name, received.nextRow, (error) => {
        received.end();
        if (error === null) resolve(query.result);
        else reject(error);
      });
      this.client.query(query);
    });
  }

  async #within<T>({ timeLimitMs, signal }: Limits, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
    let cancelling: Promise<void> | null = null;
    const stop = (): void => {
      cancelling ??= this.plan
        .cancel(this.client as unknown as SessionKey)
        .catch(() => undefined)
        .finally(() => (cancelling = null));
    };
    // Again and again: a busy server may get the cancellation before it begins the statement, and forgets it.
    const timer = timeLimitMs === undefined ? undefined : setInterval(stop, timeLimitMs);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await work();
    } catch (error) {
      throw asRowhouseError(error);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", stop);
      // The server forgets a cancellation that arrives between statements, so it must not arrive later.
      await cancelling;
    }
  }
}
