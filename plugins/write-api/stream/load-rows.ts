import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { insertEncoded } from "../insert/insert-rows.js";
import { decodeRows, encodeRows } from "../json/cell-values.js";
import type { EncodedRows } from "../json/cell-values.js";
import { upsertEncoded } from "../upsert/upsert-rows.js";
import { RowProblems } from "./row-problems.js";
import type { StagedRows } from "./staged-rows.js";
import type { StagedRun } from "./staged-rows.js";
import type { StreamOptions } from "./stream-request.js";

interface LoadOptions {
  readonly dialect: Dialect;
  readonly transaction: Transaction;
  readonly source: ReadableTable;
  readonly options: StreamOptions;
}

/**
 * Writes all staged rows.
 *
 * @returns the number of rows that were written
 * @throws WriteRejected naming the rows that could not be written, or SqlFailed if no single row fails
 */
export async function loadRows(loading: LoadOptions, staged: Pick<StagedRows, "rows">): Promise<number> {
  const problems = new RowProblems();
  let count = 0;
  for await (const rows of staged.rows()) {
    try {
      count += await write(loading, rows);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      await findFailingRows(loading, rows, problems);
      // Each row can be written on its own: the error is about the rows together.
      if (problems.count === 0) throw error;
      if (problems.isFull) break;
    }
  }
  problems.throwIfAny();
  return count;
}

async function write(
  { dialect, transaction, source, options }: LoadOptions,
  rows: EncodedRows,
): Promise<number> {
  if (options.upsert) {
    await upsertEncoded(dialect, transaction, source, rows);
    return rows.count;
  }
  const insertion = { dialect, table: source.table, conflict: options.conflict, returning: [] };
  return (await insertEncoded(transaction, insertion, rows)).count;
}

/** Writes the rows again one by one to find those that fail. The transaction is rolled back afterwards. */
async function findFailingRows(
  loading: LoadOptions,
  spooled: StagedRun,
  problems: RowProblems,
): Promise<void> {
  const { columns, rows } = decodeRows(spooled);
  let last: unknown = null;
  for (const [index, row] of rows.entries()) {
    if (problems.isFull) return;
    try {
      await write(loading, encodeRows({ columns, rows: [row] }, loading.dialect.definitions.numbers));
    } catch (error) {
      // The same error object again means that SQLite has rolled back the whole transaction: stop here.
      if (!isAboutRow(error) || error === last) throw error;
      last = error;
      const place = problems.labelOf(spooled.first + index, spooled.lines[index] ?? null);
      problems.add([`${place}: ${error.message}`]);
    }
  }
}

const isAboutRow = (error: unknown): error is SqlFailed =>
  error instanceof SqlFailed && (error.kind === "constraint" || error.kind === "other");
