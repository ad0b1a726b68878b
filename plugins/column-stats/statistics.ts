import {
  jsonText,
  type Column,
  type Database,
  type Request,
  type Rowhouse,
  type SqlValue,
} from "rowhouse/plugin-api";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { FilteredRows } from "rowhouse/plugin-api/contracts";

/** Statistics of the values of one column. */
export interface ColumnStatistics {
  readonly filled: number;
  readonly distinct: number;
  readonly least: SqlValue;
  readonly greatest: SqlValue;
  /** Mean of the numbers; null if there are none. */
  readonly mean: SqlValue;
  /** The most frequent values. */
  readonly frequent: readonly { readonly value: SqlValue; readonly count: number }[];
}

const FREQUENT_VALUES = 5;

/** The request, and the rows to measure. */
export interface StatisticsRequest {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly database: Database;
  readonly rows: FilteredRows;
}

/** Statistics of a column, cached until the data changes; null if the time limit is exceeded. */
export function statisticsOf(scope: StatisticsRequest, column: Column): Promise<ColumnStatistics | null> {
  const { rowhouse, request, database, rows } = scope;
  const key = jsonText(["column-stats", rows.source, rows.where, rows.params, column.name]);
  return rowhouse.service("tables").cached(request, database, key, () => measure(scope, column));
}

async function measure(
  { rowhouse, request, database, rows }: StatisticsRequest,
  column: Column,
): Promise<ColumnStatistics | null> {
  const { dialect } = database;
  const name = dialect.quoteIdentifier(column.name);
  const values = `select ${name} as n, ${dialect.comparable(name, column)} as v from ${rows.source}${rows.where}`;
  const options = { timeLimitMs: rowhouse.setting("sql_time_limit_ms"), signal: request.signal };
  try {
    const { rows: facts } = await database.read(
      `select count(v), count(distinct v), min(v), max(v),
         ${dialect.mean("n", column)} from (${values}) as t`,
      rows.params,
      options,
    );
    const { rows: frequent } = await database.read(
      `select v, count(*) as times from (${values}) as t where v is not null group by v
         order by times desc, v ${dialect.limit(FREQUENT_VALUES)}`,
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
