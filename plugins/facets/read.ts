import type { SqlValue, Visit } from "rowhouse/plugin-api";
import { InvalidSql, QueryInterrupted, SqlFailed, unlessInterrupted } from "rowhouse/plugin-api/errors";
import type { FacetQuestion, Selection, SuggestionQuestion } from "rowhouse/plugin-api/contracts";
import { columnOf, paramsKey, withoutLongBlob, type Rows } from "rowhouse/plugin-api/engine";
import { isSameName } from "rowhouse/plugin-api/names";
import { readOptionsOf } from "rowhouse/plugin-api/sql";

const ROWIDS = ["rowid", "_rowid_", "oid"];

/**
 * Checks a name that a request contains. A statement would not: SQLite takes unknown names in quotes for a constant.
 *
 * @throws InvalidSql for an unknown column
 */
export function requireColumn(selection: Selection, column: string): void {
  if (![...columnNames(selection), ...ROWIDS].some((name) => isSameName(name, column)))
    throw new InvalidSql(`no such column: ${column}`);
}

/** A subquery with the column `value`: the values of one column in the selected rows. */
export const valuesOf = (selection: Selection, column: string): string =>
  selection.database.dialect.valuesOf(selection, column);

/** A column of the selection, with NULL for long BLOBs, which are no values to choose from, and take seconds to read. */
function withoutLongBlobs({ database, table }: Selection, column: string, value: string): string {
  const { longBlobs } = database;
  if (longBlobs === undefined || columnOf(table, column)?.affinity !== "blob") return value;
  return withoutLongBlob(longBlobs, value);
}

/** The columns of a selection, named as {@link valuesOf} expects them. */
export function columnNames({ columns }: Selection): readonly string[] {
  const seen = new Map<string, number>();
  return columns.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}:${before}`;
  });
}

interface Statement {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly timeLimitMs: number;
}

/** Runs a statement over a selection with its time limit, trust level and read allowlist. */
export const readSelection = (
  visit: Visit<"table">,
  selection: Selection,
  { sql, columns, timeLimitMs }: Statement,
): Promise<Rows> =>
  selection.database.read(sql, selection.params, {
    timeLimitMs,
    columns,
    signal: visit.request.signal,
    ...readOptionsOf(selection),
  });

/** The time for all suggestions of a type, as a multiple of the limit for one column. */
const TOTAL_TIME_FACTOR = 3;

/**
 * The results of `work` for each item, sequentially, so that a wide table does not occupy every connection. Items that
 * have not begun when the time is over are left out.
 */
export async function whileInTime<Item, Result>(
  { timeLimitMs }: Pick<SuggestionQuestion, "timeLimitMs">,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const end = performance.now() + TOTAL_TIME_FACTOR * timeLimitMs;
  const results: Result[] = [];
  for (const item of items) {
    if (performance.now() > end) break;
    results.push(await work(item));
  }
  return results;
}

/** One statement tests at most this many columns. */
const MOST_COLUMNS = 20;
/** Rows times columns that one statement tests, which takes some milliseconds. */
const MOST_CELLS = 100_000;
/** The time limit of such a statement, as a multiple of that for one column: each alone would read the table again. */
const TOGETHER_FACTOR = 4;

/** Suggestions follow from this many rows, whose values take some milliseconds to read. */
export const SAMPLED_ROWS = 10_000;

/** An SQL condition on the values of a column. */
interface ColumnCondition {
  /** How many rows are read at most. */
  readonly firstRows: number;
  /** @param values a subquery with the column `value` */
  holds(column: string, values: string): string;
}

/**
 * The columns for whose first values an SQL condition holds. A condition that fails, or that takes longer than the time
 * limit, does not hold. If few rows are read, one statement tests several columns.
 */
export async function columnsWhere(
  question: SuggestionQuestion,
  columns: readonly string[],
  condition: ColumnCondition,
): Promise<readonly string[]> {
  const size = columnsTogether(question, condition);
  const groups = Array.from({ length: Math.ceil(columns.length / size) }, (_, index) =>
    columns.slice(index * size, (index + 1) * size),
  );
  const tested = await whileInTime(question, groups, async (group) => {
    const together = group.length > 1 ? await holdingTogether(question, group, condition) : null;
    return together ?? holdingAlone(question, group, condition);
  });
  return tested.flat();
}

/** Of equal column names, only the engine knows how to select the second. */
function columnsTogether(
  { selection: { columns }, count }: SuggestionQuestion,
  { firstRows }: ColumnCondition,
): number {
  if (new Set(columns).size < columns.length) return 1;
  const rows = Math.max(1, Math.min(firstRows, count ?? Infinity));
  return Math.max(1, Math.min(MOST_COLUMNS, Math.floor(MOST_CELLS / rows)));
}

/**
 * Reads the selected rows once, whose filter may have no index.
 *
 * @returns null if a condition fails or all together take too long
 */
async function holdingTogether(
  { visit, selection, timeLimitMs }: SuggestionQuestion,
  columns: readonly string[],
  { firstRows, holds }: ColumnCondition,
): Promise<readonly string[] | null> {
  const names = columns.map((_, index) => `c${index}`);
  const { publishedIdentifier, limit } = selection.database.dialect;
  const cells = columns.map((column) => withoutLongBlobs(selection, column, publishedIdentifier(column)));
  const rows = `select * from (select ${cells.join(", ")} ${selection.fromWhere}) as s${limit(firstRows)}`;
  const selected = `rowhouse_selected(${names.join(", ")}) as materialized (${rows})`;
  const results = columns.map((column, index) => {
    const values = `(select ${names[index]} as value from rowhouse_selected)`;
    return `case when ${holds(column, values)} then 1 else 0 end`;
  });
  const sql = `with ${selected} select ${results.join(", ")}`;
  const statement = { sql, columns: names, timeLimitMs: timeLimitMs * TOGETHER_FACTOR };
  try {
    const tested = await readSelection(visit, selection, statement);
    return columns.filter((_, index) => Number(tested.rows[0]?.[index]) === 1);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

async function holdingAlone(
  question: SuggestionQuestion,
  columns: readonly string[],
  { firstRows, holds }: ColumnCondition,
): Promise<readonly string[]> {
  const { visit, selection, timeLimitMs } = question;
  const tested = await whileInTime(question, columns, async (column) => {
    const short = withoutLongBlobs(selection, column, "value");
    const all = valuesOf(selection, column);
    const values = `(select ${short} as value from ${all} as l${selection.database.dialect.limit(firstRows)})`;
    const sql = `select 1 where ${holds(column, values)}`;
    try {
      const { rows } = await readSelection(visit, selection, { sql, columns: ["holds"], timeLimitMs });
      return rows.length === 1 ? [column] : [];
    } catch (error) {
      if (isRefusal(error)) return [];
      throw error;
    }
  });
  return tested.flat();
}

/**
 * True if a statement took too long, failed for its values, or found no room for temporary files, and did not fail for the
 * database.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof QueryInterrupted ||
  (error instanceof SqlFailed && (error.status === 400 || error.kind === "full"));

/** Text in which bytes that are not UTF-8 may have become replacement characters. */
const isReplaced = (value: SqlValue | undefined): boolean =>
  typeof value === "string" && value.includes("\ufffd");

/**
 * Values with their number of rows, most frequent first; if one may be text that is not UTF-8, with the bytes of each as
 * a third member. Cached until the data changes.
 *
 * @param source a table or subquery with the column `value`
 * @throws QueryInterrupted if the time limit is exceeded
 */
export async function frequentValues(
  { visit, selection, size, timeLimitMs }: FacetQuestion,
  source: string,
): Promise<Rows["rows"]> {
  const { dialect } = selection.database;
  const sqlOf = (columns: string): string =>
    `select ${columns} from ${source} as v where value is not null ` +
    `group by value order by 2 desc, 1${dialect.limit(size + 1)}`;
  const sql = sqlOf("value, count(*)");
  const { request, rowhouse } = visit;
  const key = `${sql} ${paramsKey(selection.params)}`;
  const statement = { sql, columns: ["value", "count"], timeLimitMs };
  const rows = await rowhouse.service("tables").cached(request, selection, key, async () => {
    const found = await rowsOrNull(visit, selection, statement);
    if (found === null || !found.some(([value]) => isReplaced(value))) return found;
    return rowsOrNull(visit, selection, {
      sql: sqlOf(`value, count(*), ${dialect.bytesOf("value")}`),
      columns: ["value", "count", "bytes"],
      timeLimitMs,
    });
  });
  if (rows === null) throw new QueryInterrupted();
  return rows;
}

const rowsOrNull = async (
  visit: Visit<"table">,
  selection: Selection,
  statement: Statement,
): Promise<Rows["rows"] | null> =>
  (await unlessInterrupted(readSelection(visit, selection, statement)))?.rows ?? null;
