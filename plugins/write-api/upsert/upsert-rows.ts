import type { SqlInput, SqlValue, Transaction } from "rowhouse/plugin-api";
import { sqlTokens } from "rowhouse/plugin-api/sql";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import {
  equalsValue,
  keyColumns,
  cellKinds,
  encodeRows,
  rowArrays,
  type BulkStatement,
  type Dialect,
  type RowsUpsert,
  type EncodedRows,
  type RowRun,
} from "rowhouse/plugin-api/engine";
import { insertRows, runAfterInsert } from "../insert/insert-rows.js";
import { decodeRows, runsToStore, type RowValues } from "../json/cell-values.js";
import type { Outcome } from "../operation.js";
import { statementText, uniformRows } from "../rows/bulk-statement.js";
import { requireUniqueKeys, whereEquals } from "../target/row-target.js";

/** The table of an upsert, with the rows that the actor may read. */
export interface UpsertTarget {
  readonly dialect: Dialect;
  readonly source: ReadableTable;
}

/**
 * Updates the rows whose key exists and inserts the others, in their order. An update changes only the columns that the
 * row has. Every row has its complete key. A stored row that the actor cannot read is not updated: inserting its key
 * again fails.
 *
 * @throws SqlFailed
 */
export async function upsertRows(
  transaction: Transaction,
  target: UpsertTarget,
  rows: readonly RowValues[],
): Promise<void> {
  const { dialect, source } = target;
  for (const run of runsToStore(rows, { dialect, table: source.table }))
    await upsertEncoded(transaction, target, encodeRows(run, dialect.definitions.numbers));
}

/** The upsert as one statement over a list of rows, without its rows as result; null if one is not enough. */
export function bulkUpsert(
  { dialect, source }: UpsertTarget,
  values: readonly RowValues[],
): BulkStatement<Outcome> | null {
  const { table, restricted } = source;
  // The cached texts belong to a table, whose readers differ.
  const run = restricted ? null : uniformRows(values, { dialect, table });
  if (run === null) return null;
  const { columns } = run;
  const kinds = cellKinds(run);
  const sql = statementText(table, ["upsert", kinds, ...columns], () => {
    if (!canUseOnConflict(source, columns)) return null;
    if ((dialect.definitions.afterInsert?.(table, columns) ?? null) !== null) return null;
    // The rows of other writes may have the same keys, and each write succeeds or fails by itself.
    return upsertSql({ dialect, table, repeatedKeys: "fail" }, { columns, kinds });
  });
  if (sql === null) return null;
  const items = rowArrays(run, dialect.definitions.numbers);
  return { sql, items, result: () => ({ count: values.length, rows: null }) };
}

/** The same for encoded rows. @throws SqlFailed */
export async function upsertEncoded(
  transaction: Transaction,
  target: UpsertTarget,
  encoded: EncodedRows,
): Promise<void> {
  if (canUseOnConflict(target.source, encoded.columns))
    await upsertWithOnConflict(transaction, target, encoded);
  else await upsertRowByRow(transaction, target, decodeRows(encoded));
}

/**
 * `INSERT ... ON CONFLICT` is correct only if the attempted insert of an existing row has no effect of its own: the table
 * has no triggers, missing columns cannot violate a constraint, and the actor may read every row.
 */
function canUseOnConflict({ table, restricted }: ReadableTable, columns: readonly string[]): boolean {
  if (restricted || table.kind !== "table" || table.triggers.length > 0) return false;
  // The conflict is only looked for in the table itself, not in those that inherit from it.
  if (table.deferrableKey === true || table.inheritingTables !== undefined) return false;
  if (sqlTokens(table.sql ?? "").some(({ text }) => text.toLowerCase() === "check")) return false;
  const isMissed = table.columns.some(
    ({ name, notNull, defaultSql, generated }) =>
      notNull && (defaultSql === null || generated !== "no") && !columns.includes(name),
  );
  return !isMissed;
}

async function upsertWithOnConflict(
  transaction: Transaction,
  { dialect, source: { table } }: UpsertTarget,
  encoded: EncodedRows,
): Promise<void> {
  await transaction.run(upsertSql({ dialect, table, repeatedKeys: "last" }, encoded), [encoded.json]);
  await runAfterInsert(transaction, { dialect, table }, encoded.columns);
}

function upsertSql(
  {
    dialect,
    table,
    repeatedKeys,
  }: Pick<RowsUpsert, "table" | "repeatedKeys"> & Pick<UpsertTarget, "dialect">,
  { columns, kinds }: Pick<EncodedRows, "columns" | "kinds">,
): string {
  const select = dialect.packedRows({ table, columns, kinds, parameter: "?" });
  return dialect.upsertRows({ table, columns, select, keys: keyColumns(table), repeatedKeys });
}

async function upsertRowByRow(transaction: Transaction, target: UpsertTarget, run: RowRun): Promise<void> {
  const { dialect, source } = target;
  const { quoteIdentifier } = dialect;
  const { table } = source;
  const keys = keyColumns(table);
  const name = quoteIdentifier(table.name);
  const changed = run.columns.filter((column) => !keys.includes(column));
  const assigned = (column: string, value: SqlInput): string =>
    `${quoteIdentifier(column)} = ${dialect.storedValue({ table, name: column }, "?", value)}`;
  const where = whereEquals(dialect, table, keys);
  for (const values of run.rows) {
    const row = new Map(run.columns.map((column, index) => [column, values[index] ?? null]));
    const key = valuesOf(row, keys);
    if (!(await rowExists(transaction, target, key))) {
      await insertRows(transaction, { dialect, table, rows: [row], conflict: "fail", returning: [] });
    } else if (changed.length > 0) {
      await requireUniqueKeys(transaction, { dialect, table, where, params: key });
      const stored = valuesOf(row, changed);
      const assignments = changed.map((column, index) => assigned(column, stored[index] ?? null)).join(", ");
      await transaction.run(`update ${name} set ${assignments} where ${where}`, [...stored, ...key]);
    }
  }
}

async function rowExists(
  transaction: Transaction,
  { dialect, source: { table, sql, params } }: UpsertTarget,
  key: readonly SqlValue[],
): Promise<boolean> {
  const names = keyColumns(table);
  const where = names
    .map((name, index) => equalsValue(dialect, { table, name }, `:key${index}`))
    .join(" and ");
  const values = key.map((value, index): [string, SqlValue] => [`key${index}`, value]);
  const found = await transaction.all(`select 1 from ${sql} where ${where}`, {
    ...params,
    ...Object.fromEntries(values),
  });
  return found.rows.length > 0;
}

const valuesOf = (row: RowValues, columns: readonly string[]): readonly SqlValue[] =>
  columns.map((column) => row.get(column) ?? null);
