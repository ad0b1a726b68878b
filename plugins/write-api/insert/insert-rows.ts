import { quoteIdentifier, type SqlValue, type Transaction } from "rowhouse/plugin-api";
import { encodeRows, splitIntoRuns } from "../json/cell-values.js";
import type { EncodedRows, RowValues } from "../json/cell-values.js";

/** What to do with a row whose key already exists. */
export type Conflict = "fail" | "ignore" | "replace";

export interface Insertion {
  readonly table: string;
  readonly rows: readonly RowValues[];
  readonly conflict: Conflict;
  /** Columns of the stored rows to return; empty to return no rows. */
  readonly returning: readonly string[];
}

const VERBS: Readonly<Record<Conflict, string>> = {
  fail: "insert into",
  ignore: "insert or ignore into",
  replace: "insert or replace into",
};

export interface Inserted {
  /** The number of stored rows, without ignored ones. */
  readonly count: number;
  /** The `returning` columns of each stored row. */
  readonly stored: readonly (readonly SqlValue[])[];
}

/**
 * Inserts rows in their order, with one statement per run of rows with the same columns. Missing columns get their
 * default.
 *
 * @throws SqlFailed
 */
export async function insertRows(transaction: Transaction, insertion: Insertion): Promise<Inserted> {
  const stored: (readonly SqlValue[])[] = [];
  let count = 0;
  for (const run of splitIntoRuns(insertion.rows)) {
    const inserted = await insertEncoded(transaction, insertion, encodeRows(run));
    count += inserted.count;
    for (const row of inserted.stored) stored.push(row);
  }
  return { count, stored };
}

/** The same for encoded rows. @throws SqlFailed */
export async function insertEncoded(
  transaction: Transaction,
  insertion: Omit<Insertion, "rows">,
  encoded: EncodedRows,
): Promise<Inserted> {
  const stored: (readonly SqlValue[])[] = [];
  let count = 0;
  for (const { sql, params } of statements(insertion, encoded)) {
    if (insertion.returning.length === 0) {
      count += (await transaction.run(sql, params)).changes;
      continue;
    }
    const { rows } = await transaction.all(sql, params);
    count += rows.length;
    for (const row of rows) stored.push(row);
  }
  return { count, stored };
}

interface BoundStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

function statements(insertion: Omit<Insertion, "rows">, encoded: EncodedRows): readonly BoundStatement[] {
  if (encoded.columns.length > 0) return [{ sql: insertSql(insertion, encoded), params: [encoded.json] }];
  const { table, conflict, returning } = insertion;
  const sql = `${VERBS[conflict]} ${quoteIdentifier(table)} default values${returningSql(returning)}`;
  return Array.from({ length: encoded.count }, () => ({ sql, params: [] }));
}

/** The INSERT statement for encoded rows. */
export const insertSql = (
  { table, conflict, returning }: Omit<Insertion, "rows">,
  { columns, cells }: Pick<EncodedRows, "columns" | "cells">,
): string =>
  `${VERBS[conflict]} ${quoteIdentifier(table)} (${columns.map(quoteIdentifier).join(", ")}) ` +
  `select ${cells.join(", ")} from json_each(?)${returningSql(returning)}`;

const returningSql = (columns: readonly string[]): string =>
  columns.length === 0 ? "" : ` returning ${columns.map(quoteIdentifier).join(", ")}`;
