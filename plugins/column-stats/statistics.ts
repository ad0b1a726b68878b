import { QueryInterrupted, jsonText, quoteIdentifier } from "rowhouse/plugin-api";
import type { Column, Database, FilteredRows, Request, Rowhouse, SqlValue } from "rowhouse/plugin-api";

/** What the values of one column are like. */
export interface ColumnStatistics {
  readonly filled: number;
  readonly distinct: number;
  readonly least: SqlValue;
  readonly greatest: SqlValue;
  /** Of the numbers among them; null without any. */
  readonly mean: SqlValue;
  /** The values that occur most often. */
  readonly frequent: readonly { readonly value: SqlValue; readonly count: number }[];
}

const FREQUENT_VALUES = 5;

/** Who asks, and about which rows. */
export interface StatisticsRequest {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly database: Database;
  readonly rows: FilteredRows;
}

/** Remembered until the data changes; null when it takes too long to find out. */
export function statisticsOf(question: StatisticsRequest, column: Column): Promise<ColumnStatistics | null> {
  const { rowhouse, request, database, rows } = question;
  const key = jsonText(["column-stats", rows.source, rows.where, rows.params, column.name]);
  return rowhouse.service("tables").cached(request, database, key, () => measure(question, column));
}

async function measure(
  { rowhouse, request, database, rows }: StatisticsRequest,
  { name }: Column,
): Promise<ColumnStatistics | null> {
  const values = `select ${quoteIdentifier(name)} as v from ${rows.source}${rows.where}`;
  const options = { timeLimitMs: rowhouse.setting("sql_time_limit_ms"), signal: request.signal };
  try {
    const { rows: facts } = await database.read(
      `select count(v), count(distinct v), min(v), max(v),
         avg(case when typeof(v) in ('integer', 'real') then v end) from (${values})`,
      rows.params,
      options,
    );
    const { rows: frequent } = await database.read(
      `select v, count(*) as n from (${values}) where v is not null group by v
         order by n desc, v limit ${FREQUENT_VALUES}`,
      rows.params,
      options,
    );
    const [filled = 0, distinct = 0, least = null, greatest = null, mean = null] = facts[0] ?? [];
    return {
      filled: Number(filled),
      distinct: Number(distinct),
      least,
      greatest,
      mean,
      frequent: frequent.map(([value = null, count = 0]) => ({ value, count: Number(count) })),
    };
  } catch (error) {
    if (error instanceof QueryInterrupted && !request.signal.aborted) return null;
    throw error;
  }
}
