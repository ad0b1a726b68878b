import { quoteIdentifier, type Database, type SqlValue } from "rowhouse/plugin-api";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";

/** What is in one column. */
export interface ColumnProfile {
  readonly column: string;
  readonly filled: number;
  readonly distinct: number;
  readonly least: SqlValue;
  readonly most: SqlValue;
  /** The most frequent values, with their number of rows. */
  readonly frequent: readonly { readonly value: SqlValue; readonly count: number }[];
}

export interface Limits {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

const SHOWN_VALUES = 5;

/**
 * Reads a column of what the visitor may read of a table: never from the table itself, of which other plugins may
 * hide rows. Null when there is no time for it.
 */
export async function profileColumn(
  database: Database,
  { sql: source, params }: ReadableTable,
  column: string,
  limits: Limits,
): Promise<ColumnProfile | null> {
  const name = quoteIdentifier(column);
  const figures = `select count(${name}), count(distinct ${name}), min(${name}), max(${name}) from ${source}`;
  const frequent =
    `select ${name}, count(*) from ${source} where ${name} is not null ` +
    `group by 1 order by 2 desc, 1 limit ${SHOWN_VALUES}`;
  try {
    const [figure, values] = await Promise.all([
      database.read(figures, params, limits),
      database.read(frequent, params, limits),
    ]);
    const [filled = 0, distinct = 0, least = null, most = null] = figure.rows[0] ?? [];
    return {
      column,
      filled: Number(filled),
      distinct: Number(distinct),
      least,
      most,
      frequent: values.rows.map(([value = null, count]) => ({ value, count: Number(count) })),
    };
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}
