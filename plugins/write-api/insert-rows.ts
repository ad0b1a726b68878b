import { quoteIdentifier } from "rowhouse/plugin-api";
import type { SqlValue, Transaction } from "rowhouse/plugin-api";
import type { RowValues } from "./cell-values.js";
import { carry, runsOf } from "./row-carrier.js";
import type { RowRun } from "./row-carrier.js";

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
    for (const { sql, params } of statements(insertion, run)) {
      if (insertion.returning.length === 0) {
        count += (await transaction.run(sql, params)).changes;
        continue;
      }
      const { rows } = await transaction.all(sql, params);
      count += rows.length;
      for (const row of rows) stored.push(row);
    }
  }
  return { count, stored };
}

interface BoundStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

function statements({ table, conflict, returning }: Insertion, run: RowRun): readonly BoundStatement[] {
  const start = `${VERBS[conflict]} ${quoteIdentifier(table)}`;
  const end = returning.length === 0 ? "" : ` returning ${returning.map(quoteIdentifier).join(", ")}`;
  if (run.columns.length === 0) {
    return run.rows.map(() => ({ sql: `${start} default values${end}`, params: [] }));
  }
  const { json, cells } = carry(run);
  const columns = run.columns.map(quoteIdentifier).join(", ");
  return [
    { sql: `${start} (${columns}) select ${cells.join(", ")} from json_each(?)${end}`, params: [json] },
  ];
}
