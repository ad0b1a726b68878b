import { InvalidSql, QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { Connection, DriverRow } from "../open/connection.js";
import type { DriverError } from "../open/errors.js";
import {
  bind,
  explainedAt,
  isExplainOrPragma,
  MAX_CACHED_SQL,
  type BindableSql,
  type BoundSql,
  type Statement,
} from "../sql/statement.js";
import { wordOf } from "../sql/tokens.js";
import { ENTRY_BYTES, StatementCache } from "../sql/statement-caches.js";
import { runWithAllowlist } from "./allowlist.js";
import { findColumns, type ColumnCache } from "./columns.js";
import { rowLimit, type Query } from "./query.js";
import { cellNames, jsonRow, ROW_SEPARATOR, rowsText, rowText } from "./row-text.js";
import type { JsonBytes } from "./wire-json.js";

/** Texts of rows in order; a text may contain several rows. */
export interface QueryResult {
  readonly columns: readonly string[];
  readonly texts: readonly (string | JsonBytes)[];
  /** True if the texts are complete JSON for clients. */
  readonly isWireJson?: boolean;
}

/** A connection and the columns of statements that ran on it. */
export interface Reader {
  readonly connection: Connection;
  readonly columns: ColumnCache;
  /** True if a result that is too large for one text may be read as one text per row. */
  readonly maySplitResult: boolean;
  /** The longest text, blob or row of the connection. */
  readonly maxLengthBytes: number;
}

/** Runs `read`; with an allowlist, only if the statement reads nothing else. @throws StatementConfined */
export const withAllowlist = <T>(
  connection: Connection,
  query: Query,
  read: (query: Query) => Promise<T>,
): Promise<T> =>
  query.allowlist === undefined ? read(query) : runWithAllowlist(connection, query, query.allowlist, read);

/**
 * Runs a SELECT, of whose rows SQLite builds the text, an EXPLAIN or a PRAGMA. Errors are those of the driver, or Rowhouse's
 * own.
 */
export async function runQuery(reader: Reader, query: Query): Promise<QueryResult> {
  if (isExplainOrPragma(query.statement)) return runExplainOrPragma(reader, query);
  return withColumns(reader, query, async (columns, isCurrent) => {
    const texts = await rowTexts(reader, query, columns, isCurrent);
    return texts === null ? null : { columns, texts };
  });
}

/** True if columns that were found earlier are still valid under this schema version. */
export type IsCurrent = (schemaVersion: number) => boolean;

/**
 * Runs `attempt` with the columns of the statement. It first tries the columns from the caller or the cache. If the
 * attempt returns null, because the schema has changed, or fails, it determines the columns and tries again.
 */
export async function withColumns<T>(
  { connection, columns: cache }: Reader,
  { statement, columns: given, limits }: Query,
  attempt: (columns: readonly string[], isCurrent: IsCurrent) => Promise<T | null>,
): Promise<T> {
  const cached = given === undefined ? cache.get(statement) : undefined;
  const tried = given ?? cached?.names;
  let failure: unknown = null;
  if (tried !== undefined) {
    const isCurrent = (version: number): boolean => given !== undefined || version === cached?.schemaVersion;
    try {
      const result = await attempt(tried, isCurrent);
      if (result !== null) return result;
    } catch (error) {
      if ((error as DriverError).code !== "SQLITE_ERROR") throw error;
      failure = error;
    }
  }
  const found = await findColumns(connection, statement, limits);
  if (failure !== null && found.names.length === tried?.length) throw failure;
  cache.set(statement, found);
  const result = await attempt(found.names, () => true);
  if (result === null) throw new InvalidSql("The schema changed while the statement ran.");
  return result;
}

/**
 * Longer results are read as one text per row. The driver turns each text into a string on the event loop, which takes
 * about a millisecond per megabyte.
 */
const MAX_RESULT_TEXT_BYTES = 8_000_000;

interface AllRows {
  readonly rows: string | JsonBytes | null;
  /** Only if the columns of the statement come from the cache. */
  readonly version?: number;
}

async function rowTexts(
  { connection, maySplitResult, maxLengthBytes }: Reader,
  query: Query,
  columns: readonly string[],
  isCurrent: IsCurrent,
): Promise<readonly (string | JsonBytes)[] | null> {
  const bound = { bound: bind(query.statement, query.params), query, columns };
  connection.limitLength(maySplitResult ? Math.min(MAX_RESULT_TEXT_BYTES, maxLengthBytes) : maxLengthBytes);
  try {
    const [all] = await connection.all<AllRows>(oneTextSql(bound), query.limits);
    if (all === undefined || !isCurrent(all.version ?? NO_VERSION)) return null;
    if (typeof all.rows !== "object" || all.rows === null) return all.rows === null ? [] : [all.rows];
    // A database in UTF-16 turns text into bytes of that encoding. JSON has no zero bytes.
    return all.rows.includes(0) ? await textPerRow(connection, bound) : [all.rows];
  } catch (error) {
    if (!maySplitResult || (error as DriverError).code !== "SQLITE_TOOBIG") throw error;
    connection.limitLength(maxLengthBytes);
    return await textPerRow(connection, bound);
  }
}

/** The schema version of rows that do not bring one. */
export const NO_VERSION = -1;

/** @throws QueryInterrupted if all rows together take longer than the time limit of the statement */
async function textPerRow(connection: Connection, query: BoundQuery): Promise<readonly string[]> {
  const { limits } = query.query;
  const endMs = performance.now() + (limits.timeLimitMs ?? Infinity);
  const texts: string[] = [];
  for await (const { row } of connection.step<{ row: string }>(textPerRowSql(query), limits)) {
    texts.push(row);
    if (performance.now() > endMs) throw new QueryInterrupted();
  }
  return texts;
}

/** JSON comes as bytes, so that the driver makes no JavaScript text of it on the event loop. */
function oneTextSql(query: BoundQuery): BoundSql {
  const checksVersion = query.query.columns === undefined;
  const purpose = checksVersion ? "one text, version" : "one text";
  const select = (): string => {
    const { format } = query.query;
    const text = rowsText(query.columns, format);
    const rows = format.kind === "json" ? `cast(${text} as blob)` : text;
    return `select ${rows} as "rows"${checksVersion ? `,${SCHEMA_VERSION} as version` : ""} from "rowhouse:rows"`;
  };
  return wrapStatement(purpose, query, select, aggregatedRows);
}

const textPerRowSql = (query: BoundQuery): BoundSql =>
  wrapStatement(
    "texts",
    query,
    () => `select ${rowText(query.columns, query.query.format)} as "row" from "rowhouse:rows"`,
  );

/** A query with bound values and known columns. */
export interface BoundQuery {
  readonly bound: BoundSql;
  readonly query: Query;
  readonly columns: readonly string[];
}

// The SQL around a statement is long, and the same for each request of a page.
const wrappedStatements = new StatementCache<string>({ name: "sql-texts", share: 0.375 });

/**
 * A query over the rows of a statement.
 *
 * @param purpose tells it from other ones for the same columns, in the same format
 * @param select makes it, unless it is in the cache
 */
export function wrapStatement(
  purpose: string,
  { bound: { sql, values }, query, columns }: BoundQuery,
  select: () => string,
  rowsOf: RowSources = limitedRows,
): BoundSql {
  const { ctes = "", format } = query;
  const maxRows = rowLimit(query, columns.length);
  const shape = format.kind === "json" ? format.shape : format.kind;
  const key = [purpose, shape, maxRows, ...columns, ctes, sql].join("\0");
  const cached = wrappedStatements.entries.get(key);
  if (cached !== undefined) return { sql: cached, values };
  const sources = rowsOf({ sql, tokens: query.statement.tokens }, columns, maxRows);
  const wrapped = `with ${ctes}${sources} ${select()}`;
  if (sql.length < MAX_CACHED_SQL)
    wrappedStatements.entries.set(key, wrapped, { size: key.length + wrapped.length + ENTRY_BYTES });
  return { sql: wrapped, values };
}

/** The schema version in the snapshot of the statement, which shows whether cached columns are still valid. */
export const SCHEMA_VERSION = "(select schema_version from pragma_schema_version)";

/**
 * Common table expressions that name the rows of a statement `"rowhouse:rows"` and its columns `c0`, `c1`, ..., in their
 * order.
 */
type RowSources = (statement: BindableSql, columns: readonly string[], maxRows?: number) => string;

/**
 * The limit prevents SQLite from merging the statement with the query around it, which would evaluate each of its expressions
 * as often as the row text mentions the cell.
 */
const limitedRows: RowSources = ({ sql }, columns, maxRows) =>
  `"rowhouse:result"(${cellNames(columns).join(",")}) as (${sql}\n),` +
  `"rowhouse:rows" as (select * from "rowhouse:result" limit ${maxRows === undefined ? -1 : maxRows + 1})`;

/**
 * Like {@link limitedRows}, for a query with an aggregate. SQLite never merges a statement that has a limit of its own with
 * it, and without the second limit each cell is copied once less.
 */
const aggregatedRows: RowSources = (statement, columns, maxRows) =>
  ownLimit(statement) <= (maxRows ?? Infinity) + 1
    ? `"rowhouse:rows"(${cellNames(columns).join(",")}) as (${statement.sql}\n)`
    : limitedRows(statement, columns, maxRows);

/** The most rows that a statement returns which ends with `limit 101` or `limit 101 offset 100`; NaN for others. */
function ownLimit({ tokens }: BindableSql): number {
  const end = wordOf(tokens.at(-2)) === "offset" ? -2 : tokens.length;
  const [keyword, count] = tokens.slice(0, end).slice(-2);
  return wordOf(keyword) === "limit" && /^\d+$/.test(count?.text ?? "") ? Number(count?.text) : NaN;
}

const EXPLAIN_COLUMNS = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"];
const PLAN_COLUMNS = ["id", "parent", "notused", "detail"];
const EXPLAINABLE: ReadonlySet<string> = new Set(
  "select with values insert update delete replace".split(" "),
);

/**
 * Runs an EXPLAIN, or a trusted PRAGMA, which cannot be part of another statement. Their column names are unique, and their
 * cells are text and small integers, so the rows of the driver are correct.
 *
 * @throws InvalidSql for an EXPLAIN of a statement that SQLite could run while it compiles it
 */
async function runExplainOrPragma(
  { connection, maxLengthBytes }: Reader,
  query: Query,
): Promise<QueryResult> {
  const { statement, params, limits, format } = query;
  const fixed = statement.verb === "explain" ? explainColumns(statement) : null;
  connection.limitLength(maxLengthBytes);
  const found = await connection.once<DriverRow>(bind(statement, params), limits);
  const columns = fixed ?? Object.keys(found[0] ?? {});
  const limit = rowLimit(query, columns.length) ?? Infinity;
  const texts = found.slice(0, limit + 1).map((row) => {
    const cells = columns.map((column) => row[column] ?? null);
    return format.kind === "json" ? jsonRow(cells, columns, format) : JSON.stringify(cells);
  });
  return { columns, texts: texts.length === 0 ? [] : [texts.join(ROW_SEPARATOR)] };
}

function explainColumns(statement: Statement): readonly string[] {
  const start = explainedAt(statement);
  if (!EXPLAINABLE.has(wordOf(statement.tokens[start]))) throw new InvalidSql("Statement must be a SELECT");
  return start === 1 ? EXPLAIN_COLUMNS : PLAN_COLUMNS;
}
