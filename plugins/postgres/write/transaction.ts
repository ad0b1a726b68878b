import type { Schema, SqlParams, Transaction } from "rowhouse/plugin-api";
import type {
  JsonReadOptions,
  JsonRows,
  Rows,
  StatementLimits,
  TransactionStreamOptions,
  WriteResult,
} from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable, InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
import { allEnded } from "../connect/all-ended.js";
import { isOutdatedPlan } from "../connect/errors.js";
import type { Session } from "../connect/session.js";
import type { TextResult } from "../connect/text-query.js";
import { batchesOf } from "../read/batches.js";
import { RowWriter, typedRows } from "../read/values.js";
import { bind, singleStatement, type BoundSql } from "../sql/statement.js";
import { requireUsableNames } from "./new-names.js";

/** Rowhouse begins and ends transactions. */
const TRANSACTION_VERBS: ReadonlySet<string> = new Set(
  "begin start commit end rollback abort savepoint release prepare set reset discard listen notify unlisten".split(
    " ",
  ),
);
const CHANGING_VERBS: ReadonlySet<string> = new Set(["insert", "update", "delete", "merge", "with"]);

const BATCH_SIZE = 1_000;

/** The statements of one write. A statement that fails is rolled back by itself, and further ones may run. */
export class WriteTransaction implements Transaction {
  #ended = false;
  readonly #running = new Set<Promise<unknown>>();
  #statements = 0;
  #cursors = 0;
  /** The first statement failed, so that the transaction has to be begun again. */
  #failedFirst = false;
  /** The error that ended the whole transaction; null if there is none. */
  lost: Error | null = null;

  constructor(
    private readonly session: Session,
    private readonly schemaAt: (session: Session) => Promise<Schema>,
    /** Begins the transaction, which has begun; null for statements that run by themselves, such as VACUUM. */
    private readonly begin: (() => Promise<void>) | null,
  ) {}

  run(sql: string, params?: SqlParams, limits?: StatementLimits): Promise<WriteResult> {
    return this.#tracked(this.#run(sql, params, limits));
  }

  async #run(sql: string, params?: SqlParams, limits?: StatementLimits): Promise<WriteResult> {
    const result = await this.#execute(sql, params, limits);
    const { verb } = singleStatement(sql);
    const changes = CHANGING_VERBS.has(verb) && !isSelection(verb, result) ? result.changes : 0;
    if (result.columns.length === 0 || verb === "select") return { changes, lastInsertRowid: 0 };
    return { changes, lastInsertRowid: 0, returned: rowsOf(result) };
  }

  all(sql: string, params?: SqlParams): Promise<Rows> {
    return this.#tracked(this.#execute(sql, params).then(rowsOf));
  }

  allJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    return this.#tracked(this.#allJson(sql, params, options));
  }

  async #allJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    const result = await this.#execute(sql, params);
    const { shape = "arrays", infinity = "null" } = options;
    const writer = new RowWriter(result, shape, infinity);
    return { columns: result.columns, rows: result.rows.map((row) => writer.write(row)), truncated: false };
  }

  async *stream(
    sql: string,
    params?: SqlParams,
    { batchSize = BATCH_SIZE, ...limits }: TransactionStreamOptions = {},
  ): AsyncGenerator<Rows> {
    const execute = (statement: string, values?: SqlParams): Promise<TextResult> =>
      this.#tracked(this.#execute(statement, values, limits));
    const cursor = `rows_${(this.#cursors += 1)}`;
    await execute(`declare ${cursor} no scroll cursor for ${sql}`, params);
    try {
      const batches = batchesOf((size) => execute(`fetch ${size} from ${cursor}`), batchSize);
      for await (const batch of batches) yield rowsOf(batch);
    } finally {
      // It also ends with the transaction.
      await execute(`close ${cursor}`).catch(() => undefined);
    }
  }

  schema(): Promise<Schema> {
    this.#requireOpen();
    return this.schemaAt(this.session);
  }

  /**
   * Waits for the running statements and rejects all later ones.
   *
   * @throws the first error of a statement for which the work did not wait
   */
  async end(): Promise<void> {
    this.#ended = true;
    await allEnded([...this.#running]);
  }

  #tracked<T>(result: Promise<T>): Promise<T> {
    this.#running.add(result);
    const remove = (): void => void this.#running.delete(result);
    result.then(remove, remove);
    return result;
  }

  #requireOpen(): void {
    if (this.#ended) throw new SqlFailed("The transaction has ended.", "other");
    if (this.lost !== null) throw this.lost;
  }

  async #execute(sql: string, params: SqlParams | undefined, limits?: StatementLimits): Promise<TextResult> {
    this.#requireOpen();
    const statement = singleStatement(sql);
    if (TRANSACTION_VERBS.has(statement.verb)) {
      throw new InvalidSql(`A write can't contain ${statement.verb.toUpperCase()}`);
    }
    requireUsableNames(statement);
    const bound = bind(statement, params);
    if (this.begin === null) return this.session.run(bound, limits);
    try {
      return await this.#runInSavepoint(bound, limits);
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      return this.#runInSavepoint(bound, limits);
    }
  }

  /** A savepoint before each statement but the first. Both are sent together. */
  async #runInSavepoint(bound: BoundSql, limits: StatementLimits | undefined): Promise<TextResult> {
    if (this.#failedFirst) {
      await this.session.exec("rollback");
      await this.begin?.();
      this.#failedFirst = false;
      this.#statements = 0;
    }
    this.#statements += 1;
    const isFirst = this.#statements === 1;
    const savepoint = this.#statements === 2 ? "savepoint s" : "release s; savepoint s";
    try {
      const [, result] = await this.session.together(() =>
        Promise.all([isFirst ? null : this.session.exec(savepoint), this.session.run(bound, limits)]),
      );
      return result;
    } catch (error) {
      await this.#rollBackStatement(isFirst, error as Error);
      throw error;
    }
  }

  async #rollBackStatement(isFirst: boolean, error: Error): Promise<void> {
    if (error instanceof DatabaseUnavailable) {
      this.lost = error;
    } else if (isFirst) {
      this.#failedFirst = true;
    } else {
      await this.session.exec("rollback to s");
    }
  }
}

/** The result of the work, after all of its statements have ended. @throws the error of the work or of a statement */
export async function endedWork<T>(
  transaction: WriteTransaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    const done = await work(transaction);
    await transaction.end();
    return done;
  } catch (error) {
    await transaction.end().catch(() => undefined);
    throw error;
  }
}

/** WITH begins a SELECT or a change; only the command tag tells them apart, so a result with columns may be either. */
const isSelection = (verb: string, { isSelect }: TextResult): boolean => verb === "with" && isSelect;

const rowsOf = ({ columns, types, rows }: TextResult): Rows => ({
  columns,
  rows: typedRows(rows, types),
  truncated: false,
});

/** Runs a part of a transaction, and rolls it back if that fails. */
export async function rolledBackOnError<T>(session: Session, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await session.exec("rollback").catch(() => undefined);
    throw error;
  }
}
