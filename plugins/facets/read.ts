import { QueryInterrupted, jsonText, publishedIdentifier } from "rowhouse/plugin-api";
import type {
  FacetQuestion,
  Rows,
  Selection,
  SqlValue,
  SuggestionQuestion,
  Visit,
} from "rowhouse/plugin-api";

/** The values of one column among the selected rows, as a table with the column `value`. */
export function valuesOf(selection: Selection, column: string): string {
  const { columns, fromWhere } = selection;
  const name = publishedIdentifier(column);
  if (new Set(columns).size === columns.length) return `(select ${name} as value ${fromWhere})`;
  // Of columns of one name the engine calls the second `name:1`; it does so only where both are selected.
  const all = columns.map(publishedIdentifier).join(", ");
  return `(select ${name} as value from (select ${all} ${fromWhere}))`;
}

/** The columns of a selection by the names under which {@link valuesOf} knows them. */
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

/** Runs a statement over a selection, under its time limit and its degree of trust. */
export const readSelection = (
  visit: Visit<"table">,
  { database, params, stranger, confine }: Selection,
  statement: Statement,
): Promise<Rows> =>
  database.read(statement.sql, params, {
    timeLimitMs: statement.timeLimitMs,
    columns: statement.columns,
    signal: visit.request.signal,
    trust: stranger ? "stranger" : "trusted",
    ...(confine !== null && { confine }),
  });

/**
 * The columns that pass a test, tried one after the other: a wide table must not occupy every connection. All of
 * them together may take as long as one statement; the columns that are left by then are not tried.
 */
export async function filterColumns(
  { visit }: Pick<SuggestionQuestion, "visit">,
  columns: readonly string[],
  test: (column: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const end = performance.now() + visit.rowhouse.setting("sql_time_limit_ms");
  const passed: string[] = [];
  for (const column of columns) {
    if (performance.now() > end) break;
    if (await test(column)) passed.push(column);
  }
  return passed;
}

/** Text in which bytes that are not UTF-8 may have become replacement characters. */
const isReplaced = (value: SqlValue | undefined): boolean =>
  typeof value === "string" && value.includes("\ufffd");

/**
 * Values with their number of rows, most frequent first: `source` is a table with the column `value`. With the bytes
 * of each as a third member where a value may be text that is not UTF-8.
 * Remembered until the data changes.
 *
 * @throws QueryInterrupted when the time limit runs out
 */
export async function frequentValues(
  { visit, selection, size, timeLimitMs }: FacetQuestion,
  source: string,
): Promise<Rows["rows"]> {
  const sqlOf = (columns: string): string =>
    `select ${columns} from ${source} where value is not null ` +
    `group by value order by 2 desc, 1 limit ${size + 1}`;
  const sql = sqlOf("value, count(*)");
  const { request, rowhouse } = visit;
  const key = `${sql} ${jsonText(selection.params)}`;
  const statement = { sql, columns: ["value", "count"], timeLimitMs };
  const rows = await rowhouse.service("tables").cached(request, selection.database, key, async () => {
    const found = await rowsOrNull(visit, selection, statement);
    if (found === null || !found.some(([value]) => isReplaced(value))) return found;
    return rowsOrNull(visit, selection, {
      sql: sqlOf("value, count(*), cast(value as blob)"),
      columns: ["value", "count", "bytes"],
      timeLimitMs,
    });
  });
  if (rows === null) throw new QueryInterrupted();
  return rows;
}

async function rowsOrNull(
  visit: Visit<"table">,
  selection: Selection,
  statement: Statement,
): Promise<Rows["rows"] | null> {
  try {
    return (await readSelection(visit, selection, statement)).rows;
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}
