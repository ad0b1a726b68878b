import type { Database, Request, RowSet, Rowhouse } from "rowhouse/plugin-api";
import { resumed, type ReadOptions, type Rows } from "rowhouse/plugin-api/engine";
import { timeLimitMs, type RowStream, type Wants } from "rowhouse/plugin-api/http";
import { boundValues, type Values } from "./parameters.js";

/** A statement with its values and options. */
export interface QueryRead {
  readonly database: Database;
  readonly sql: string;
  readonly values: Values;
  readonly options: ReadOptions;
}

export interface Result {
  readonly rows: RowSet;
  readonly truncated: boolean;
}

/** Rows of a query result have no path. */
const NO_KEYS: readonly string[] = [];

/** Time and row limits of a query. @throws BadRequest for an invalid `_timelimit` */
export function readLimits(rowhouse: Rowhouse, request: Request): ReadOptions {
  return {
    timeLimitMs: timeLimitMs(request.query, rowhouse.setting("sql_time_limit_ms")),
    maxRows: rowhouse.setting("max_returned_rows"),
    signal: request.signal,
  };
}

/**
 * Runs the statement and returns its rows in the form that the renderer needs.
 *
 * @throws InvalidSql if the statement is rejected or fails, QueryInterrupted if it exceeds the time limit
 */
export async function readRows(reading: QueryRead, wants: Wants): Promise<Result> {
  const { database, options } = reading;
  const { sql, params } = prepare(reading);
  if (wants.rows === "arrays" || wants.rows === "objects") {
    const form = { shape: wants.rows, infinity: wants.infinity, ...options };
    const json = await database.readJson(sql, params, form);
    const rows: RowSet = { columns: json.columns, json: json.rows, cells: null, keys: NO_KEYS };
    return { rows, truncated: json.truncated };
  }
  const { maxCells, malformedText } = wants;
  const cells = await database.read(sql, params, {
    malformedText,
    ...options,
    ...(maxCells !== undefined && { maxCells }),
  });
  return { rows: rowSet(cells), truncated: cells.truncated };
}

const prepare = ({ database, sql, values }: QueryRead) =>
  database.dialect.expandFunctions({ sql, params: boundValues(database.dialect, sql, values) });

const rowSet = ({ columns, rows }: Rows): RowSet => ({ columns, json: null, cells: rows, keys: NO_KEYS });

/**
 * Streams the whole result in batches, in the form that the renderer needs. Waits for the first batch, so that a
 * statement that fails does so before the reply begins.
 */
export async function streamRows(reading: QueryRead, wants: Wants): Promise<RowStream> {
  const batches = rowBatches(reading, wants)[Symbol.asyncIterator]();
  const first = await batches.next();
  return {
    columns: first.done === true ? [] : first.value.columns,
    keys: NO_KEYS,
    labelled: [],
    batches: resumed(first, batches),
  };
}

async function* rowBatches(reading: QueryRead, wants: Wants): AsyncGenerator<RowSet> {
  const { database } = reading;
  const { sql, params } = prepare(reading);
  const { maxRows: _maxRows, ...options } = reading.options;
  if (wants.rows === "arrays" || wants.rows === "objects") {
    const form = { shape: wants.rows, infinity: wants.infinity };
    for await (const { columns, rows } of database.streamJson(sql, params, { ...options, ...form })) {
      yield { columns, json: rows, cells: null, keys: NO_KEYS };
    }
    return;
  }
  for await (const rows of database.stream(sql, params, options)) yield rowSet(rows);
}
