import {
  jsonText,
  type Column,
  type Database,
  type Request,
  type Rowhouse,
  type SqlValue,
  type Table,
} from "rowhouse/plugin-api";
import type { Pair } from "rowhouse/plugin-api/http";
import { isAddressable, paramsKey, selectingArgument } from "rowhouse/plugin-api/engine";
import { shortText } from "rowhouse/plugin-api/html";
import { unlessInterrupted } from "rowhouse/plugin-api/errors";
import type { FilteredRows } from "rowhouse/plugin-api/contracts";

/** A value as it is shown: long texts are cut, of long BLOBs there is only the number of bytes. */
export type ShownValue = SqlValue | { readonly bytes: number };

/** In characters and bytes. */
const LONGEST_VALUE = 2_000;

function shownValue(value: SqlValue): ShownValue {
  if (value instanceof Uint8Array && value.length > LONGEST_VALUE) return { bytes: value.length };
  return typeof value === "string" ? shortText(value, LONGEST_VALUE) : value;
}

/** Statistics of the values of one column. */
export interface ColumnStatistics {
  readonly filled: number;
  readonly distinct: number;
  readonly least: ShownValue;
  readonly greatest: ShownValue;
  /** Mean of the numbers; null if there are none. */
  readonly mean: SqlValue;
  /** The most frequent values. */
  readonly frequent: readonly FrequentValue[];
}

/** A value, and the number of its rows. */
export interface FrequentValue {
  readonly value: ShownValue;
  readonly count: number;
  /** The argument that selects the rows; null for BLOBs, texts that are not UTF-8, and values that are too long for an address. */
  readonly argument: Pair | null;
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
  const key = jsonText(["column-stats", rows.source, rows.where, paramsKey(rows.params), column.name]);
  return rowhouse
    .service("tables")
    .cached(request, { database, table: rows.table }, key, () =>
      unlessInterrupted(measure(scope, column), request.signal),
    );
}

async function measure(
  { rowhouse, request, database, rows }: StatisticsRequest,
  column: Column,
): Promise<ColumnStatistics> {
  const { dialect } = database;
  const name = dialect.quoteIdentifier(column.name);
  const values = `select ${name} as n, ${dialect.comparable(name, column)} as v from ${rows.source}${rows.where}`;
  const options = { timeLimitMs: rowhouse.setting("sql_time_limit_ms"), signal: request.signal };
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
    least: shownValue(least),
    greatest: shownValue(greatest),
    mean,
    frequent: frequent.map(([value = null, count = 0]) => ({
      value: shownValue(value),
      count: Number(count),
      argument: argumentOf(rows.table, column.name, value),
    })),
  };
}

function argumentOf(table: Table, column: string, value: SqlValue): Pair | null {
  const isShort = shownValue(value) === value;
  return isShort && isAddressable(value) ? selectingArgument(table, column, value) : null;
}
