import type pg from "pg";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { BoundSql } from "../sql/statement.js";
import { asRowhouseError, isConnectionLost } from "./errors.js";

/** A result whose values are text, as Postgres writes them. */
export interface TextResult {
  readonly columns: readonly string[];
  /** The object identifiers of the columns' types. */
  readonly types: readonly number[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** True for a statement that only returns rows. */
  readonly isSelect: boolean;
  /** Rows that were returned or changed. */
  readonly changes: number;
}

/** Limits of one statement. */
export interface Limits {
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Cancels the statement that another session runs. */
export type Cancel = (processId: number) => Promise<void>;

const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** A session with a server: one statement at a time, always with the extended protocol, which takes only one. */
export class Session {
  constructor(
    private readonly client: pg.PoolClient,
    private readonly cancel: Cancel,
  ) {}

  /** The process of the server that serves this session. */
  get processId(): number {
    return (this.client as unknown as { readonly processID: number }).processID;
  }

  /** Runs a statement. @throws QueryInterrupted at the time limit, and other errors of Rowhouse */
  async run({ text, values }: BoundSql, limits: Limits = {}): Promise<TextResult> {
    return this.#within(limits, async () => {
      const query = {
        text,
        values: [...values],
        rowMode: "array",
        types: AS_TEXT,
        queryMode: "extended",
      } as const;
      const { rows, fields, rowCount, command } = await this.client.query<(string | null)[]>(query);
      const listed = fields ?? [];
      return {
        columns: listed.map(({ name }) => name),
        types: listed.map(({ dataTypeID }) => dataTypeID),
        rows,
        isSelect: command === "SELECT",
        changes: rowCount ?? 0,
      };
    });
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
    this.client.release(error !== undefined && isConnectionLost(causeOf(error)));
  }

  async #within<T>({ timeLimitMs, signal }: Limits, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
    let cancelling: Promise<void> | undefined;
    const stop = (): void => {
      cancelling ??= this.cancel(this.processId).catch(() => undefined);
    };
    const timer = timeLimitMs === undefined ? undefined : setTimeout(stop, timeLimitMs);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await work();
    } catch (error) {
      throw asRowhouseError(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      // The server forgets a cancellation that arrives between statements, so it must not arrive later.
      await cancelling;
    }
  }
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;
