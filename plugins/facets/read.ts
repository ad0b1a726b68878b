import { jsonText, type Column, type SqlValue, type Visit } from "rowhouse/plugin-api";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { FacetQuestion, Selection, SuggestionQuestion } from "rowhouse/plugin-api/contracts";
import type { Rows } from "rowhouse/plugin-api/engine";

/** A subquery with the column `value`: the values of one column in the selected rows. */
export const valuesOf = (selection: Selection, column: string): string =>
  selection.database.dialect.valuesOf(selection, column);

/** The column of the table; undefined for the rowid and for names as in {@link columnNames}. */
export const columnOf = ({ table }: Selection, name: string): Column | undefined =>
  table.columns.find((column) => column.name === name);

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
  { database, params, untrusted, allowlist }: Selection,
  statement: Statement,
): Promise<Rows> =>
  database.read(statement.sql, params, {
    timeLimitMs: statement.timeLimitMs,
    columns: statement.columns,
    signal: visit.request.signal,
    trust: untrusted ? "untrusted" : "trusted",
    ...(allowlist !== null && { allowlist }),
  });

/**
 * The columns that pass a test. Columns are tested sequentially, so that a wide table does not occupy every
 * connection. Columns that have not been tested when the time limit of one statement is reached are left out.
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
  const key = `${sql} ${jsonText(selection.params)}`;
  const statement = { sql, columns: ["value", "count"], timeLimitMs };
  const rows = await rowhouse.service("tables").cached(request, selection.database, key, async () => {
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
