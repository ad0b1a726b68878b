import { LRUCache } from "lru-cache";
import {
  InvalidSql,
  QueryInterrupted,
  quoteText,
  type ReadAllowlist,
  type SqlParams,
} from "rowhouse/plugin-api";
import { bind, type BoundSql } from "../sql/bind.js";
import { findColumns, type ColumnCache } from "./columns.js";
import type { Connection } from "../open/connection.js";
import type { DriverError } from "../open/errors.js";
import { ROW_SEPARATOR, rowText, type RowForm, type RowFormat } from "./row-encoding.js";
import { MAX_CACHED_SQL, type Statement } from "../sql/statement.js";
import type { Limits } from "../open/time-limit.js";

/** What is asked of a connection: one SELECT and the form its rows shall have. */
export interface Query {
  readonly statement: Statement;
  readonly params: SqlParams | undefined;
  readonly limits: Limits;
  /** One row more than this is fetched. */
  readonly maxRows: number | undefined;
  /** Rows are also limited by the number of their cells. */
  readonly maxCells?: number | undefined;
  /** Output columns where the asker knows them. */
  readonly columns: readonly string[] | undefined;
  /** What may be read; nothing is checked where nobody says. */
  readonly allowlist: ReadAllowlist | undefined;
  /** Common table expressions that the statement sees, each with a comma behind it; they hide views of their names. */
  readonly ctes?: string;
  readonly form: (columns: readonly string[]) => RowForm;
}

/** A question with what its rows are for. */
export interface HostQuery extends Query {
  readonly format: RowFormat;
}

/** Texts of rows, several in one text; in order. */
export interface QueryResult {
  readonly columns: readonly string[];
  readonly texts: readonly string[];
  /** JSON texts are in wire form already. */
  readonly isWireJson?: boolean;
}

/** A connection with what was learned about statements on it. */
export interface Reader {
  readonly connection: Connection;
  readonly columns: ColumnCache;
  /** Large results may come in several texts rather than fail. */
  readonly maySplitResult: boolean;
  /** The longest text, blob or row of the connection. */
  readonly maxLengthBytes: number;
}

/** Runs a SELECT; its rows come as text that SQLite built. Errors are the driver's or ours. */
export async function runQuery(reader: Reader, question: Query): Promise<QueryResult> {
  return withColumns(reader, question, async (columns, isCurrent) => {
    const texts = await rowTexts(reader, question, columns, isCurrent);
    return texts === null ? null : { columns, texts };
  });
}

/** Says whether columns found earlier still hold under this schema version. */
export type IsCurrent = (schemaVersion: number) => boolean;

/**
 * Runs `attempt` with the statement's columns. What the asker said or an earlier look found is tried first;
 * when the attempt returns null (the schema has changed) or fails, the columns are looked up afresh.
 */
export async function withColumns<T>(
  { connection, columns: cache }: Reader,
  { statement, columns: given, limits }: Query,
  attempt: (columns: readonly string[], isCurrent: IsCurrent) => Promise<T | null>,
): Promise<T> {
  const cached = given === undefined ? cache.get(statement.sql) : undefined;
  const tried = given ?? cached?.names;
  const failure = { error: null as unknown };
  if (tried !== undefined) {
    const isCurrent = (version: number): boolean => given !== undefined || version === cached?.schemaVersion;
    const result = await attempt(tried, isCurrent).catch((error: unknown) => {
      if ((error as DriverError).code !== "SQLITE_ERROR") throw error;
      failure.error = error;
      return null;
    });
    if (result !== null) return result;
  }
  const found = await findColumns(connection, statement, limits);
  if (failure.error !== null && found.names.length === tried?.length) throw failure.error;
  cache.set(statement.sql, found);
  const result = await attempt(found.names, () => true);
  if (result === null) throw new InvalidSql("The schema changed while the statement ran.");
  return result;
}

/**
 * Longer results come in one text for each row. The driver turns a text into a string on the event loop, about a
 * millisecond for each megabyte.
 */
const ONE_TEXT_BYTES = 8_000_000;

interface AllRows {
  readonly rows: string | null;
  readonly version: number;
}

async function rowTexts(
  { connection, maySplitResult, maxLengthBytes }: Reader,
  question: Query,
  columns: readonly string[],
  isCurrent: IsCurrent,
): Promise<readonly string[] | null> {
  const found = { bound: bind(question.statement, question.params), question, columns };
  if (maySplitResult) connection.limitLength(Math.min(ONE_TEXT_BYTES, maxLengthBytes));
  try {
    const [all] = await connection.all<AllRows>(asOneText(found), question.limits);
    if (all === undefined || !isCurrent(all.version)) return null;
    return all.rows === null ? [] : [all.rows];
  } catch (error) {
    if (!maySplitResult || (error as DriverError).code !== "SQLITE_TOOBIG") throw error;
    connection.limitLength(maxLengthBytes);
    return await textPerRow(connection, found);
  } finally {
    connection.limitLength(maxLengthBytes);
  }
}

/** @throws QueryInterrupted when all rows together take longer than the statement may */
async function textPerRow(connection: Connection, found: Found): Promise<readonly string[]> {
  const { timeLimitMs = Infinity } = found.question.limits;
  const end = performance.now() + timeLimitMs;
  const texts: string[] = [];
  for await (const { row } of connection.step<{ row: string }>(asTexts(found), found.question.limits)) {
    texts.push(row);
    if (performance.now() > end) throw new QueryInterrupted();
  }
  return texts;
}

function asOneText(found: Found): BoundSql {
  return wrapStatement("one text", found, (form) => {
    const text = rowText(cellNames(found.columns), form);
    return (
      `select group_concat(${text},${quoteText(ROW_SEPARATOR)}) as "rows",` +
      `${SCHEMA_VERSION} as version from "rowhouse:rows"`
    );
  });
}

const asTexts = (found: Found): BoundSql =>
  wrapStatement("texts", found, (form) => {
    return `select ${rowText(cellNames(found.columns), form)} as "row" from "rowhouse:rows"`;
  });

/** A question whose values are bound and whose columns are known. */
export interface Found {
  readonly bound: BoundSql;
  readonly question: Query;
  readonly columns: readonly string[];
}

/** Rows that are returned at most: by number, or by the cells they have. */
export function rowLimit(
  { maxRows, maxCells }: { readonly maxRows?: number | undefined; readonly maxCells?: number | undefined },
  columns: number,
): number | undefined {
  if (maxCells === undefined) return maxRows;
  return Math.min(maxRows ?? Infinity, Math.max(1, Math.floor(maxCells / Math.max(1, columns))));
}

// What stands around a statement is long and, for the pages that are asked for most, always the same.
const wrappings = new LRUCache<string, string>({
  max: 500,
  // In characters.
  maxSize: 4_000_000,
  sizeCalculation: (made, key) => key.length + made.length,
});

/** `select`, in the given form, over a statement's rows. */
export function wrapStatement(
  purpose: string,
  { bound: { sql, values }, question, columns }: Found,
  select: (form: RowForm) => string,
): BoundSql {
  const { ctes = "" } = question;
  const maxRows = rowLimit(question, columns.length);
  const form = question.form(columns);
  const shape = form.kind === "json" ? form.shape : form.kind;
  const key = [purpose, shape, maxRows, ...columns, ctes, sql].join("\0");
  const known = wrappings.get(key);
  if (known !== undefined) return { sql: known, values };
  const made = `with ${ctes}${rowsOf(sql, columns, maxRows)} ${select(form)}`;
  if (sql.length < MAX_CACHED_SQL) wrappings.set(key, made);
  return { sql: made, values };
}

/** Read in the statement's own snapshot, so that columns can be told from those of another schema. */
export const SCHEMA_VERSION = "(select schema_version from pragma_schema_version)";

/** `c0`, `c1`, …: the names of a statement's cells inside ours, whatever it calls them. */
export const cellNames = (columns: readonly string[]): string[] => columns.map((_, index) => `c${index}`);

/**
 * Common table expressions that put a statement's rows under `"rowhouse:rows"` with plain column names; its order survives.
 * The limit keeps SQLite from merging it with the query around it, which would evaluate each of its
 * expressions as often as our text mentions the cell.
 */
function rowsOf(sql: string, columns: readonly string[], maxRows: number | undefined): string {
  const limit = maxRows === undefined ? -1 : maxRows + 1;
  return (
    `"rowhouse:result"(${cellNames(columns).join(",")}) as (${sql}\n),` +
    `"rowhouse:rows" as (select * from "rowhouse:result" limit ${limit})`
  );
}
