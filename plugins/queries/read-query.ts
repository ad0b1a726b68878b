import { valueNotation } from "rowhouse/plugin-api/access";
import {
  InvalidSql,
  isOutOfService,
  QueryInterrupted,
  SqlFailed,
  StatementConfined,
} from "rowhouse/plugin-api/errors";
import { LazyPage, type RowStream } from "rowhouse/plugin-api/http";
import { currentMetadata, publishedAttribution } from "rowhouse/plugin-api/metadata";
import type { Database, Page, Rowhouse, RowSet, Visit } from "rowhouse/plugin-api";
import type { CannedQuery, StatementAdvice } from "rowhouse/plugin-api/contracts";
import type { ReadOptions, ReadAllowlist } from "rowhouse/plugin-api/engine";
import { readLimits, readRows, streamRows, type QueryRead } from "./execute.js";
import type { Values } from "./parameters.js";
import { editorFacts, queryContext, type ContextFacts } from "./query-context.js";

/** A reading query, custom or canned, with its parameters, permissions and limits. */
export interface ReadQuery {
  readonly database: Database;
  /** Null for custom SQL. */
  readonly canned: CannedQuery | null;
  readonly sql: string;
  /** Parameters of the form on the page. */
  readonly names: readonly string[];
  /** Parameter values as published. */
  readonly shown: Values;
  /** Parameter values as bound: those published, and the magic ones. */
  readonly bound: Values;
  readonly trust: "trusted" | "untrusted";
  /** What the statement may read; null for everything. */
  readonly allowlist: ReadAllowlist | null;
  readonly private: boolean;
  readonly allowExecuteSql: boolean;
  /** The error if the statement is rejected before it runs; the HTML page shows it. */
  readonly rejection: InvalidSql | null;
  /** `performance.now()` at the start of the request. */
  readonly started: number;
}

type QueryVisit = Visit<"database"> | Visit<"query">;

/** The page of a reading query. A statement that fails gives a page with an error status, not an exception. */
export async function answerQuery(visit: QueryVisit, query: ReadQuery): Promise<Page> {
  // Before the statement runs: nothing may fail between the begin of a stream and the page that carries it.
  const editor = await editorFacts(visit, query.database, query.allowExecuteSql);
  const outcome = query.rejection === null ? await run(visit, query) : failed(query.rejection.message);
  const { rows, stream, error, status, advice } = outcome;
  const facts: ContextFacts = {
    kind: query.canned === null ? "sql" : "canned",
    database: query.database,
    canned: query.canned,
    sql: query.sql,
    names: query.names,
    values: query.shown,
    allowExecuteSql: query.allowExecuteSql,
    error,
    advice,
  };
  const page = {
    name: "query",
    data: describe(visit, query, outcome),
    rows,
    ...(error !== null && { status }),
    ...(stream !== null && { stream }),
  };
  return new LazyPage(page, () => ({ ...queryContext(visit, facts, editor) }));
}

interface Outcome {
  readonly error: string | null;
  /** Status of the page if there is an error. */
  readonly status: 400 | 403;
  /** Why the statement took too long. */
  readonly advice: readonly StatementAdvice[];
  readonly rows: RowSet;
  readonly stream: RowStream | null;
  readonly truncated: boolean;
}

export const NO_ROWS: RowSet = { columns: [], json: [], cells: [], keys: [] };

const done = (rows: RowSet, truncated: boolean, stream: RowStream | null = null): Outcome => ({
  error: null,
  status: 400,
  advice: [],
  rows,
  stream,
  truncated,
});

const failed = (message: string, status: Outcome["status"] = 400): Outcome => ({
  error: message,
  status,
  advice: [],
  rows: NO_ROWS,
  stream: null,
  truncated: false,
});

async function run(visit: QueryVisit, query: ReadQuery): Promise<Outcome> {
  try {
    return await read(visit, query);
  } catch (error) {
    // Not the statement is wrong. The reply to the error says so, and logs it.
    if (isOutOfService(error)) throw error;
    if (error instanceof SqlFailed) logFailure(visit.rowhouse, query.sql, error);
    const { failures } = visit.wants;
    // A renderer that does not look for errors would take the page for one without rows.
    if (error instanceof InvalidSql && failures !== undefined) return failed(error.message);
    if (error instanceof StatementConfined && failures === "all") return failed(error.message, 403);
    if (error instanceof QueryInterrupted && failures === "all") {
      const advice = (await visit.rowhouse.serviceIfAny("advice")?.ofError(visit.actor, error)) ?? [];
      return { ...failed(error.message), advice };
    }
    throw error;
  }
}

/** Logs the statement without its parameters, which may contain secrets. */
const logFailure = (rowhouse: Rowhouse, sql: string, error: SqlFailed): void =>
  rowhouse.log.error(`sql = ${valueNotation(sql)}: ${error.message}`);

async function read({ rowhouse, request, wants }: QueryVisit, query: ReadQuery): Promise<Outcome> {
  const options: ReadOptions = {
    trust: query.trust,
    ...(query.allowlist !== null && { allowlist: query.allowlist }),
    ...readLimits(rowhouse, request),
  };
  const reading: QueryRead = { database: query.database, sql: query.sql, values: query.bound, options };
  if (wants.stream) {
    const stream = await streamRows(reading, wants);
    return done({ ...NO_ROWS, columns: stream.columns }, false, stream);
  }
  const { rows, truncated } = await readRows(reading, wants);
  return done(rows, truncated);
}

function describe({ rowhouse }: QueryVisit, query: ReadQuery, outcome: Outcome): Page["data"] {
  return {
    ok: outcome.error === null,
    database: query.database.name,
    query_name: query.canned?.name ?? null,
    rows: null,
    truncated: outcome.truncated,
    columns: outcome.rows.columns,
    query: { sql: query.sql, params: query.shown },
    error: outcome.error,
    private: query.private,
    allow_execute_sql: query.allowExecuteSql,
    query_ms: performance.now() - query.started,
    ...publishedAttribution(currentMetadata(rowhouse).document),
  };
}
