import { quoteIdentifier, type Column, type Database, type SqlValue } from "rowhouse/plugin-api";
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
  column: Column,
  limits: Limits,
): Promise<ColumnProfile | null> {
  // PostgreSQL has no least value of booleans or bytes, and does not group JSON.
  const value = database.dialect.comparable(quoteIdentifier(column.name), column);
  const values = `(select ${value} as value from ${source}) as v`;
  const figures = `select count(value), count(distinct value), min(value), max(value) from ${values}`;
  const frequent =
    `select value, count(*) from ${values} where value is not null ` +
    `group by 1 order by 2 desc, 1 limit ${SHOWN_VALUES}`;
  try {
    const [figure, counted] = await Promise.all([
      database.read(figures, params, limits),
      database.read(frequent, params, limits),
    ]);
    const [filled = 0, distinct = 0, least = null, most = null] = figure.rows[0] ?? [];
    return {
      column: column.name,
      filled: Number(filled),
      distinct: Number(distinct),
      least,
      most,
      frequent: counted.rows.map(([value = null, count]) => ({ value, count: Number(count) })),
    };
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}
