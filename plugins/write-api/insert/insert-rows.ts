import type { SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import { encodeRows, type Dialect, type InsertConflict, type EncodedRows } from "rowhouse/plugin-api/engine";
import { runsToStore, type RowValues } from "../json/cell-values.js";

export interface Insertion {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly rows: readonly RowValues[];
  readonly conflict: InsertConflict;
  /** Columns of the stored rows to return; empty to return no rows. */
  readonly returning: readonly string[];
}

/** What happens to rows whose key exists, by the options of a request. Only one of them may be true. */
export function conflictOf(options: { readonly ignore: boolean; readonly replace: boolean }): InsertConflict {
  if (options.ignore) return "ignore";
  return options.replace ? "replace" : "fail";
}

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
  const { table, returning } = insertion;
  if (table.kind === "virtual" && returning.length > 0) return insertVirtual(transaction, insertion);
  const stored: (readonly SqlValue[])[] = [];
  let count = 0;
  for (const run of runsToStore(insertion.rows, insertion)) {
    const inserted = await insertEncoded(
      transaction,
      insertion,
      encodeRows(run, insertion.dialect.definitions.numbers),
    );
    count += inserted.count;
    for (const row of inserted.stored) stored.push(row);
  }
  return { count, stored };
}

/** Inserts one row after the other: RETURNING runs before the module of a virtual table assigns the rowid. */
async function insertVirtual(transaction: Transaction, insertion: Insertion): Promise<Inserted> {
  const stored: (readonly SqlValue[])[] = [];
  for (const run of insertion.rows.flatMap((row) => runsToStore([row], insertion))) {
    const encoded = encodeRows(run, insertion.dialect.definitions.numbers);
    for (const { sql, params } of statements({ ...insertion, returning: [] }, encoded)) {
      const { changes, lastInsertRowid } = await transaction.run(sql, params);
      if (changes > 0) stored.push([lastInsertRowid]);
    }
  }
  return { count: stored.length, stored };
}

/**
 * Inserts rows as `insertRows` does.
 *
 * @returns the `returning` columns of each stored row as a JSON object, as the statement shows them
 * @throws SqlFailed
 */
export async function insertReturning(
  transaction: Transaction,
  insertion: Insertion,
): Promise<readonly string[]> {
  const stored: string[] = [];
  for (const run of runsToStore(insertion.rows, insertion)) {
    const encoded = encodeRows(run, insertion.dialect.definitions.numbers);
    for (const { sql, params } of statements(insertion, encoded)) {
      const { rows } = await transaction.allJson(sql, params, { shape: "objects" });
      for (const row of rows) stored.push(row);
    }
    await runAfterInsert(transaction, insertion, encoded.columns);
  }
  return stored;
}

/** `insertRows` for encoded rows. @throws SqlFailed */
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
  await runAfterInsert(transaction, insertion, encoded.columns);
  return { count, stored };
}

/** Lets the engine assign greater values than those that were inserted. */
export async function runAfterInsert(
  transaction: Transaction,
  { dialect, table }: Pick<Insertion, "dialect" | "table">,
  columns: readonly string[],
): Promise<void> {
  const sql = dialect.definitions.afterInsert?.(table, columns) ?? null;
  if (sql !== null) await transaction.all(sql);
}

interface BoundStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

function statements(insertion: Omit<Insertion, "rows">, encoded: EncodedRows): readonly BoundStatement[] {
  if (encoded.columns.length > 0) return [{ sql: insertSql(insertion, encoded), params: [encoded.json] }];
  const sql = insertion.dialect.insertRows({ ...insertion, columns: [], select: null });
  return Array.from({ length: encoded.count }, () => ({ sql, params: [] }));
}

/** The INSERT statement for encoded rows. */
export function insertSql(
  insertion: Omit<Insertion, "rows">,
  { columns, kinds }: Pick<EncodedRows, "columns" | "kinds">,
): string {
  const { dialect, table } = insertion;
  const select = dialect.packedRows({ table, columns, kinds, parameter: "?" });
  return dialect.insertRows({ ...insertion, columns, select });
}
