import { quoteIdentifier } from "rowhouse/plugin-api";
import type { SqlValue, Transaction } from "rowhouse/plugin-api";
import type { RowValues } from "./cell-values.js";
import { carry, runsOf } from "./row-carrier.js";
import type { CarriedRows } from "./row-carrier.js";

/** What happens to a row whose key is taken. */
export type Conflict = "fail" | "ignore" | "replace";

export interface Insertion {
  readonly table: string;
  readonly rows: readonly RowValues[];
  readonly conflict: Conflict;
  /** Columns of the stored rows to bring back; with none, nothing is. */
  readonly returning: readonly string[];
}

const VERBS: Readonly<Record<Conflict, string>> = {
  fail: "insert into",
  ignore: "insert or ignore into",
  replace: "insert or replace into",
};

export interface Inserted {
  /** Rows that were stored; ignored ones are not. */
  readonly count: number;
  /** The `returning` columns of each. */
  readonly stored: readonly (readonly SqlValue[])[];
}

/**
 * Inserts rows in their order, a statement for each run of rows with the same columns; what a row does not give
 * takes its default.
 *
 * @throws SqlFailed
 */
export async function insertRows(transaction: Transaction, insertion: Insertion): Promise<Inserted> {
  const stored: (readonly SqlValue[])[] = [];
  let count = 0;
  for (const run of runsOf(insertion.rows)) {
    const inserted = await insertCarried(transaction, insertion, carry(run));
    count += inserted.count;
    for (const row of inserted.stored) stored.push(row);
  }
  return { count, stored };
}

/** The same of rows that are packed already. @throws SqlFailed */
export async function insertCarried(
  transaction: Transaction,
  insertion: Omit<Insertion, "rows">,
  carried: CarriedRows,
): Promise<Inserted> {
  const stored: (readonly SqlValue[])[] = [];
  let count = 0;
  for (const { sql, params } of statements(insertion, carried)) {
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

function statements(
  { table, conflict, returning }: Omit<Insertion, "rows">,
  carried: CarriedRows,
): readonly BoundStatement[] {
  const start = `${VERBS[conflict]} ${quoteIdentifier(table)}`;
  const end = returning.length === 0 ? "" : ` returning ${returning.map(quoteIdentifier).join(", ")}`;
  if (carried.columns.length === 0) {
    const one = { sql: `${start} default values${end}`, params: [] };
    return Array.from({ length: carried.count }, () => one);
  }
  const { json, cells } = carried;
  const columns = carried.columns.map(quoteIdentifier).join(", ");
  return [
    { sql: `${start} (${columns}) select ${cells.join(", ")} from json_each(?)${end}`, params: [json] },
  ];
}
