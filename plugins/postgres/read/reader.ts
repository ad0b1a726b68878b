import { channel } from "node:diagnostics_channel";
import { LRUCache } from "lru-cache";
import type { SqlParams } from "rowhouse/plugin-api";
import type { SqlTrace } from "rowhouse/plugin-api/contracts";
import type { JsonReadOptions, JsonRows, ReadOptions, Rows, StreamOptions } from "rowhouse/plugin-api/engine";
import { InvalidSql, ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import { asciiJson, jsonString, jsonText } from "rowhouse/plugin-api/json";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import type { Cluster, Purpose } from "../connect/cluster.js";
import type { Limits, Session, TextResult } from "../connect/session.js";
import { bind, singleStatement, type BoundSql, type Statement } from "../sql/statement.js";
import { isJsonInSql, jsonExpression, typedRows } from "./values.js";

const READING_VERBS: ReadonlySet<string> = new Set(["select", "with", "values", "table", "explain", "show"]);
/** Statements that can't be part of another one. */
const isBare = ({ verb }: Statement): boolean => verb === "explain" || verb === "show";
const BATCH_SIZE = 1_000;
const BEGIN_SNAPSHOT = "begin isolation level repeatable read read only";
/** What a statement has set in its session ends with the transaction, except advisory locks. */
const END_SNAPSHOT = "rollback; select pg_advisory_unlock_all()";

/** A statement with its values and options. */
export interface Query {
  readonly statement: Statement;
  readonly bound: BoundSql;
  readonly options: ReadOptions;
  readonly limits: Limits;
  readonly sql: string;
  readonly params: SqlParams;
}

/** The names and types of a result. */
type Described = Pick<TextResult, "columns" | "types">;

export interface ReaderPlan {
  readonly database: string;
  readonly cluster: Cluster;
  readonly defaultTimeLimitMs: number;
  /** Changes when the schema does, so that known result columns are read again. */
  readonly schemaVersion: () => string;
}

/** Runs statements that read. */
export class Reader {
  /** The result columns of statements of Rowhouse. */
  readonly #described = reportedCache(
    "postgres-columns",
    new LRUCache<string, Described>({ maxSize: 2_000_000, sizeCalculation }),
  );

  constructor(private readonly plan: ReaderPlan) {}

  /** @throws InvalidSql if the text is not one statement that reads */
  query(sql: string, params: SqlParams = [], options: ReadOptions = {}): Query {
    const statement = singleStatement(sql);
    if (!READING_VERBS.has(statement.verb)) throw new InvalidSql("Statement must be a SELECT");
    const { timeLimitMs = this.plan.defaultTimeLimitMs, signal } = options;
    const bound = bind(statement, params);
    return { statement, bound, options, limits: { timeLimitMs, signal }, sql, params };
  }

  async read(query: Query): Promise<Rows> {
    const { maxRows, maxCells } = query.options;
    const result = await this.#traced(query, () =>
      this.use(query, (session) => {
        const limit = maxCells === undefined ? maxRows : Math.min(maxRows ?? Infinity, maxCells);
        return session.run(limited(query, limit), query.limits);
      }),
    );
    const cells = maxCells === undefined ? Infinity : maxCells / Math.max(1, result.columns.length);
    const most = Math.min(maxRows ?? Infinity, Math.max(1, Math.floor(cells)));
    const rows = typedRows(result.rows.slice(0, most), result.types);
    return { columns: result.columns, rows, truncated: result.rows.length > most };
  }

  async readJson(query: Query & { readonly options: JsonReadOptions }): Promise<JsonRows> {
    const { maxRows } = query.options;
    const most = maxRows ?? Infinity;
    return this.#traced(query, () =>
      this.use(query, async (session) => {
        const described = await this.#describe(session, query);
        const form = rowForm(query, described);
        const limit = maxRows === undefined ? "" : ` limit ${maxRows + 1}`;
        const result = await session.run(form === null ? limited(query, maxRows) : form(limit), query.limits);
        const rows = jsonRows(result, described, query.options, form !== null).slice(0, most);
        return { columns: described.columns, rows, truncated: result.rows.length > most };
      }),
    );
  }

  async *stream(query: Query & { readonly options: StreamOptions }): AsyncGenerator<Rows> {
    for await (const { rows, columns, types } of this.#batches(query, limited(query, undefined))) {
      yield { columns, rows: typedRows(rows, types), truncated: false };
    }
  }

  async *streamJson(
    query: Query & { readonly options: StreamOptions & JsonReadOptions },
  ): AsyncGenerator<JsonRows> {
    const described = await this.use(query, (session) => this.#describe(session, query));
    const form = rowForm(query, described);
    const bound = form === null ? limited(query, undefined) : form("");
    for await (const result of this.#batches(query, bound)) {
      const rows = jsonRows(result, described, query.options, form !== null);
      yield { columns: described.columns, rows, truncated: false };
    }
  }

  /** One snapshot: a cursor in a transaction. Leaving the loop ends both. */
  async *#batches(query: Query, bound: BoundSql): AsyncGenerator<TextResult> {
    const { batchSize = BATCH_SIZE } = query.options as StreamOptions;
    const { pool, host } = await this.plan.cluster.pool(purposeOf(query));
    const session = await pool.borrow();
    let failure: unknown;
    try {
      if (isBare(query.statement)) return yield await session.run(bound, query.limits);
      await session.exec(BEGIN_SNAPSHOT);
      await session.run({ ...bound, text: `declare rows no scroll cursor for ${bound.text}` }, query.limits);
      const fetch = { text: `fetch ${batchSize} from rows`, values: [] };
      for (let isFirst = true; ; isFirst = false) {
        const batch = await session.run(fetch, query.limits);
        if (batch.rows.length > 0 || isFirst) yield batch;
        if (batch.rows.length < batchSize) return;
      }
    } catch (error) {
      failure = error;
      this.plan.cluster.noteError(host, error, purposeOf(query));
      throw error;
    } finally {
      await session.exec(END_SNAPSHOT).catch((error: unknown) => (failure ??= error));
      session.release(failure);
    }
  }

  /** Runs a read on a session of the right role, and once more if its server has just gone away. */
  async use<T>(query: Query, work: (session: Session) => Promise<T>): Promise<T> {
    const purpose = purposeOf(query);
    if (purpose !== "guest") return useWithRetry(this.plan.cluster, purpose, work);
    return useWithRetry(this.plan.cluster, purpose, async (session) => {
      await session.exec(BEGIN_SNAPSHOT);
      try {
        return await work(session);
      } finally {
        await session.exec(END_SNAPSHOT);
      }
    });
  }

  /** The result columns, without running the statement to its first row. */
  async #describe(session: Session, query: Query): Promise<Described> {
    const isUntrusted = purposeOf(query) === "guest";
    const key = `${this.plan.schemaVersion()} ${query.bound.text}`;
    const known = isUntrusted ? undefined : this.#described.get(key);
    if (known !== undefined) return known;
    const { columns, types } = await session.run(
      isBare(query.statement)
        ? query.bound
        : { ...query.bound, text: `select * from (${query.bound.text}\n) as q limit 0` },
      query.limits,
    );
    const described = { columns, types };
    if (!isUntrusted) this.#described.set(key, described);
    return described;
  }

  async #traced<T>(query: Query, run: () => Promise<T>): Promise<T> {
    if (!traces.hasSubscribers) return run();
    const startedMs = performance.now();
    try {
      return await run();
    } finally {
      const { sql, params } = query;
      const { database } = this.plan;
      traces.publish({ database, sql, params, startedMs, endedMs: performance.now() } satisfies SqlTrace);
    }
  }
}

/** Runs a read; a second time if the server went away, which has no effect that could be repeated. */
export async function useWithRetry<T>(
  cluster: Cluster,
  purpose: Purpose,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { pool, host } = await cluster.pool(purpose);
    try {
      return await pool.use(work);
    } catch (error) {
      cluster.noteError(host, error, purpose);
      // WITH can begin a change, which a session that reads refuses.
      if (error instanceof ReadOnlyDatabase) throw new InvalidSql("Statement must be a SELECT");
      if (attempt > 1 || (error as Error).name !== "DatabaseUnavailable") throw error;
    }
  }
}

const traces = channel("rowhouse:sql");

const sizeCalculation = (_described: Described, key: string): number => key.length + 1;

/** Unknown trust levels count as untrusted. */
const purposeOf = ({ options: { trust = "trusted" } }: Query): Purpose =>
  trust === "trusted" ? "read" : "guest";

/** The statement with a limit of one row more than is wanted, which shows that there are more. */
function limited({ bound, statement }: Query, maxRows: number | undefined): BoundSql {
  if (maxRows === undefined || !Number.isFinite(maxRows) || isBare(statement)) return bound;
  return { ...bound, text: `select * from (${bound.text}\n) as q limit ${maxRows + 1}` };
}

/** The statement whose rows are JSON text; null if Postgres can't write it. @param limit ` limit 10` */
function rowForm(
  { bound, statement, options }: Query & { readonly options: JsonReadOptions },
  { columns, types }: Described,
): ((limit: string) => BoundSql) | null {
  if (isBare(statement) || columns.length === 0 || !isJsonInSql(types)) return null;
  const { shape = "arrays", infinity = "null" } = options;
  const names = columns.map((_column, index) => `c${index}`);
  const cells = names.map((name, index) => jsonExpression(name, types[index] ?? 0, infinity));
  const json = shape === "arrays" ? arrayForm(cells) : objectForm(columns, cells);
  return (limit) => ({
    ...bound,
    text: `select ${json} from (${bound.text}\n) as q(${names.join(", ")})${limit}`,
  });
}

const arrayForm = (cells: readonly string[]): string =>
  `'[' || array_to_string(array[${cells.join(", ")}], ', ', 'null') || ']'`;

/** Of equal names the last value is kept, at the place of the first. */
function objectForm(columns: readonly string[], cells: readonly string[]): string {
  const members = new Map(columns.map((column, index) => [column, cells[index] ?? "null"]));
  const texts = [...members].map(
    ([name, cell]) => `'${jsonString(name).replaceAll("'", "''")}: ' || coalesce(${cell}, 'null')`,
  );
  return `'{' || array_to_string(array[${texts.join(", ")}], ', ') || '}'`;
}

function jsonRows(
  result: TextResult,
  { columns, types }: Described,
  { shape = "arrays", infinity = "null" }: JsonReadOptions,
  isJson: boolean,
): readonly string[] {
  if (isJson) return result.rows.map(([text]) => asciiJson(text ?? "null"));
  return typedRows(result.rows, types).map((row) =>
    shape === "arrays"
      ? jsonText(row, infinity)
      : jsonText(new Map(columns.map((column, index) => [column, row[index] ?? null])), infinity),
  );
}
