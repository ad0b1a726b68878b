import type { SqlParams } from "rowhouse/plugin-api";
import { sqlTraces } from "rowhouse/plugin-api/contracts";
import type {
  Keyset,
  ReadAllowlist,
  ReadOptions,
  StatementRun,
  StreamOptions,
} from "rowhouse/plugin-api/engine";
import { InvalidSql, QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { TrustLevel } from "../open/connection-pool.js";
import type { Limits } from "../open/time-limit.js";
import { hideFileNames } from "../sql/hide-file-names.js";
import { parameterNames, singleStatement, type Statement } from "../sql/statement.js";
import type { RowFormat } from "./row-text.js";

/** A SELECT, its limits, and the format of its rows. */
export interface Query {
  readonly statement: Statement;
  readonly params: SqlParams | undefined;
  readonly limits: Limits;
  /** One row more than this is read, which shows that there are more. */
  readonly maxRows?: number | undefined;
  /** Limits the rows by the number of their cells. */
  readonly maxCells?: number | undefined;
  /** The output columns, if the caller knows them. */
  readonly columns?: readonly string[] | undefined;
  /** How to read a stream in parts. */
  readonly keyset?: Keyset | undefined;
  /** The tables that may be read; all if undefined. */
  readonly allowlist?: ReadAllowlist | undefined;
  /** Common table expressions that hide views with the same names from the statement, each with a comma after it. */
  readonly ctes?: string;
  readonly format: RowFormat;
}

/** A query in the server process. */
export interface HostQuery extends Query {
  readonly trust: TrustLevel;
}

/** Longest untrusted statement, in characters. */
const MAX_UNTRUSTED_SQL = 1_000_000;
// SQLite compares each parameter name with all names before it. With its own limit, 32766 names, this takes seconds.
const MAX_NAMED_PARAMETERS = 5_000;

const READING_VERBS: ReadonlySet<string> = new Set(["select", "with", "values", "", "explain", "pragma"]);

/** Unknown trust levels count as untrusted: version 0.1 had another name for it. */
export const trustOf = ({ trust = "trusted" }: ReadOptions): TrustLevel =>
  trust === "trusted" ? "trusted" : "untrusted";

/**
 * Only for statements of Rowhouse: the text of a client may comment out the condition of the keyset. And only if the caller
 * knows the columns: those in the cache may belong to an older schema.
 */
export const keysetOf = (options: StreamOptions): Keyset | undefined =>
  trustOf(options) === "trusted" && options.allowlist === undefined && options.columns !== undefined
    ? options.keyset
    : undefined;

/**
 * Makes the query of a read.
 *
 * @throws InvalidSql if the text is not one statement that reads, or is too long for untrusted SQL
 */
export function toQuery(
  sql: string,
  params: SqlParams | undefined,
  options: ReadOptions,
  { format, defaultTimeLimitMs }: { readonly format: RowFormat; readonly defaultTimeLimitMs: number },
): HostQuery {
  if ("confine" in options) throw new InvalidSql("The read option confine is now called allowlist");
  const trust = trustOf(options);
  const statement = trust === "trusted" ? singleStatement(sql) : untrustedStatement(sql);
  if (!READING_VERBS.has(statement.verb)) throw new InvalidSql("Statement must be a SELECT");
  const { timeLimitMs = defaultTimeLimitMs, signal, maxRows, maxCells, columns, allowlist } = options;
  const limits = { timeLimitMs, signal };
  return { statement, params, limits, maxRows, maxCells, columns, allowlist, format, trust };
}

function untrustedStatement(sql: string): Statement {
  if (sql.length > MAX_UNTRUSTED_SQL) throw new InvalidSql("Statement is too long");
  const statement = singleStatement(hideFileNames(sql));
  if (parameterNames(statement).length > MAX_NAMED_PARAMETERS) throw new InvalidSql("too many SQL variables");
  if (statement.verb === "pragma") throw new InvalidSql("Statement must be a SELECT");
  return statement;
}

/** The largest number of rows that the caller gets, from the limits of rows and of cells. */
export function rowLimit(
  { maxRows, maxCells }: { readonly maxRows?: number | undefined; readonly maxCells?: number | undefined },
  columns: number,
): number | undefined {
  if (maxCells === undefined) return maxRows;
  return Math.min(maxRows ?? Infinity, Math.max(1, Math.floor(maxCells / Math.max(1, columns))));
}

/** Runs `run`, and publishes the statement and its time if the channel has subscribers. */
export async function traceQuery<T>(database: string, query: HostQuery, run: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  try {
    return await run();
  } catch (error) {
    throw attachStatement(error, database, query);
  } finally {
    if (sqlTraces.hasSubscribers)
      sqlTraces.publish({ startedMs, endedMs: performance.now(), ...runOf(database, query) });
  }
}

/** Adds the statement to the error of one that took too long. */
export function attachStatement(error: unknown, database: string, query: HostQuery): unknown {
  if (error instanceof QueryInterrupted) error.statement = runOf(database, query);
  return error;
}

const runOf = (database: string, { statement, params = {}, trust }: HostQuery): StatementRun => ({
  database,
  sql: statement.sql,
  params,
  trust,
});
