import type { SqlParams, SqlValue } from "rowhouse/plugin-api";
import { sqlTraces } from "rowhouse/plugin-api/contracts";
import type {
  DatabaseLoad,
  JsonReadOptions,
  JsonRows,
  ReadOptions,
  Rows,
  StreamOptions,
} from "rowhouse/plugin-api/engine";
import { InvalidSql, ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { LONG_CELL } from "rowhouse/plugin-api/json";
import { allEnded } from "../connect/all-ended.js";
import { MAX_BYTES, type Cluster, type Purpose } from "../connect/cluster.js";
import { canReadAgain, isConnectTimeout } from "../connect/errors.js";
import type { Limits, Session } from "../connect/session.js";
import type { TextResult } from "../connect/text-query.js";
import { bind, singleStatement, type BoundSql, type Statement } from "../sql/statement.js";
import { batchesOf } from "./batches.js";
import { RowWriter, typedRows, typedRowsInSlices } from "./values.js";

const READING_VERBS: ReadonlySet<string> = new Set(["select", "with", "values", "table", "explain", "show"]);
/** Statements that can't be part of another one. */
const isBare = ({ verb }: Statement): boolean => verb === "explain" || verb === "show";
const BATCH_SIZE = 1_000;
/** During a failover the first server, and the session with the next one, may both be gone. */
const ATTEMPTS = 3;
const BEGIN_SNAPSHOT = "begin isolation level repeatable read read only";
/** What a statement has set in its session ends with the transaction, except advisory locks. */
const END_SNAPSHOT = "rollback; select pg_advisory_unlock_all()";

/** A statement with its values and options. */
export interface Query<Options extends ReadOptions = ReadOptions> {
  readonly statement: Statement;
  readonly bound: BoundSql;
  readonly options: Options;
  readonly limits: Limits;
  readonly sql: string;
  readonly params: SqlParams;
}

export interface ReaderPlan {
  readonly database: string;
  readonly cluster: Cluster;
  readonly defaultTimeLimitMs: number;
}

/** Runs statements that read. */
export class Reader {
  #openStreams = 0;

  constructor(private readonly plan: ReaderPlan) {}

  get load(): Omit<DatabaseLoad, "waitingWrites"> {
    return { ...this.plan.cluster.load, openStreams: this.#openStreams };
  }

  /** @throws InvalidSql if the text is not one statement that reads */
  query<Options extends ReadOptions>(
    sql: string,
    params: SqlParams | undefined,
    options: Options,
  ): Query<Options> {
    const statement = singleStatement(sql);
    if (!READING_VERBS.has(statement.verb)) throw new InvalidSql("Statement must be a SELECT");
    const { timeLimitMs = this.plan.defaultTimeLimitMs, signal } = options;
    const bound = bind(statement, params);
    return { statement, bound, options, limits: { timeLimitMs, signal }, sql, params: params ?? [] };
  }

  async read(query: Query): Promise<Rows> {
    const { maxRows, maxCells } = query.options;
    const result = await this.#traced(query, () =>
      this.use(query, (session) => {
        const limit = maxCells === undefined ? maxRows : Math.min(maxRows ?? Infinity, maxCells);
        return session.run(limited(query, limit), limitsOfAll(query));
      }),
    );
    const cells = maxCells === undefined ? Infinity : maxCells / Math.max(1, result.columns.length);
    const most = Math.min(maxRows ?? Infinity, Math.max(1, Math.floor(cells)));
    const rows = await typed(result, result.rows.slice(0, most), query.options);
    return { columns: result.columns, rows, truncated: result.rows.length > most };
  }

  async readJson(query: Query<JsonReadOptions>): Promise<JsonRows> {
    const { maxRows = Infinity } = query.options;
    const result = await this.#traced(query, () =>
      this.use(query, (session) => session.run(limited(query, maxRows), limitsOfAll(query))),
    );
    const truncated = result.rows.length > maxRows;
    const kept = truncated ? result.rows.slice(0, maxRows) : result.rows;
    return { columns: result.columns, rows: await jsonRows(kept, result, query.options), truncated };
  }

  async *stream(query: Query<StreamOptions>): AsyncGenerator<Rows> {
    for await (const result of this.#batches(query)) {
      const rows = await typed(result, result.rows, query.options);
      yield { columns: result.columns, rows, truncated: false };
    }
  }

  async *streamJson(query: Query<StreamOptions & JsonReadOptions>): AsyncGenerator<JsonRows> {
    for await (const result of this.#batches(query)) {
      const rows = await jsonRows(result.rows, result, query.options);
      yield { columns: result.columns, rows, truncated: false };
    }
  }

  /** Begins again if the server went away before the first batch. */
  async *#batches(query: Query<StreamOptions>): AsyncGenerator<TextResult> {
    for (let attempt = 1; ; attempt += 1) {
      let hasBegun = false;
      try {
        for await (const batch of this.#snapshot(query)) {
          hasBegun = true;
          yield batch;
        }
        return;
      } catch (error) {
        if (hasBegun || attempt === ATTEMPTS || !canRepeat(this.plan.cluster, error)) throw error;
      }
    }
  }

  /**
   * One snapshot: a cursor in a transaction. Leaving the loop ends both. Statements without a cursor need the transaction
   * too: an untrusted EXPLAIN ANALYZE can make a temporary table, which others would read in place of the real one.
   */
  async *#snapshot(query: Query<StreamOptions>): AsyncGenerator<TextResult> {
    const { bound, limits } = query;
    const { batchSize = BATCH_SIZE } = query.options;
    const { session, host } = await this.plan.cluster.borrow(purposeOf(query));
    this.#openStreams += 1;
    let failure: unknown;
    try {
      const isWhole = isBare(query.statement);
      const first = isWhole ? bound : { ...bound, text: `declare rows no scroll cursor for ${bound.text}` };
      const [, result] = await session.together(() =>
        Promise.all([session.begin(BEGIN_SNAPSHOT), session.run(first, limits)]),
      );
      if (isWhole) return yield result;
      yield* batchesOf(
        (size) => session.run({ text: `fetch ${size} from rows`, values: [] }, limits),
        batchSize,
      );
    } catch (error) {
      failure = error;
      this.plan.cluster.noteError(host, error, purposeOf(query));
      throw error;
    } finally {
      this.#openStreams -= 1;
      await session.exec(END_SNAPSHOT).catch(() => session.invalidate());
      session.release(failure);
    }
  }

  /** Runs a read on a session of the right role, and again if its server has just gone away. */
  use(query: Query, work: (session: Session) => Promise<TextResult>): Promise<TextResult> {
    const purpose = purposeOf(query);
    return useWithRetry(
      this.plan.cluster,
      purpose,
      purpose === "untrusted" ? (session) => inSnapshot(session, work) : work,
    );
  }

  async #traced<T>(query: Query, run: () => Promise<T>): Promise<T> {
    if (!sqlTraces.hasSubscribers) return run();
    const startedMs = performance.now();
    try {
      return await run();
    } finally {
      const { sql, params } = query;
      const { database } = this.plan;
      sqlTraces.publish({ database, sql, params, startedMs, endedMs: performance.now() });
    }
  }
}

/** Runs a read, and again if the server went away: it has no effect that could be repeated. */
export async function useWithRetry<T>(
  cluster: Cluster,
  purpose: Purpose,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await cluster.use(purpose, work);
    } catch (error) {
      // WITH can begin a change, which a session that reads refuses.
      if (error instanceof ReadOnlyDatabase) throw new InvalidSql("Statement must be a SELECT");
      if (attempt === ATTEMPTS || !canRepeat(cluster, error)) throw error;
    }
  }
}

/** The only server would not answer the next time either, after as many seconds. */
const canRepeat = ({ hosts }: Cluster, error: unknown): boolean =>
  canReadAgain(error) && !(hosts.isSingle && isConnectTimeout(error));

/** Unknown trust levels count as untrusted. */
const purposeOf = ({ options: { trust = "trusted" } }: Query): Purpose =>
  trust === "trusted" ? "read" : "untrusted";

/** The limits of a read whose rows are all in memory together. */
const limitsOfAll = (query: Query): Limits =>
  purposeOf(query) === "untrusted" ? { ...query.limits, maxResultBytes: MAX_BYTES.untrusted } : query.limits;

/** The statement with a limit of one row more than is wanted, which shows that there are more. */
function limited({ bound, statement }: Query, maxRows: number | undefined): BoundSql {
  if (maxRows === undefined || !Number.isFinite(maxRows) || isBare(statement)) return bound;
  return { ...bound, text: `select * from (${bound.text}\n) as q limit ${maxRows + 1}` };
}

const typed = async (
  { types, bytes }: TextResult,
  rows: TextResult["rows"],
  { signal }: ReadOptions,
): Promise<SqlValue[][]> =>
  bytes > LONG_CELL ? typedRowsInSlices(rows, types, new TimeSlices({ signal })) : typedRows(rows, types);

const isLong = (text: string | null): boolean => text !== null && text.length > LONG_CELL;

/** Rows as JSON, made in slices: other requests are answered in between. */
async function jsonRows(
  rows: TextResult["rows"],
  result: TextResult,
  { shape = "arrays", infinity = "null", signal }: JsonReadOptions,
): Promise<readonly string[]> {
  const writer = new RowWriter(result, shape, infinity);
  const slices = new TimeSlices({ signal });
  const texts: string[] = [];
  const mayBeLong = result.bytes > LONG_CELL;
  for (const row of rows) {
    texts.push(mayBeLong && row.some(isLong) ? await writer.writeInSlices(row, slices) : writer.write(row));
    if (slices.isOver) await slices.next();
  }
  return texts;
}

/** Sends the statement together with the beginning and the end of its transaction. */
async function inSnapshot(
  session: Session,
  work: (session: Session) => Promise<TextResult>,
): Promise<TextResult> {
  const end = async (): Promise<void> => {
    try {
      await session.exec(END_SNAPSHOT);
    } catch (error) {
      // Such as a cancellation at the last moment, which has met the end of the transaction.
      session.invalidate();
      throw error;
    }
  };
  const [, result] = await session.together(() =>
    allEnded([session.begin(BEGIN_SNAPSHOT), work(session), end()]),
  );
  return result;
}
