import type { Dialect } from "rowhouse/plugin-api/engine";
import type { Transaction } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { errorText, type Losses, type TableCopy } from "./create-table.js";

/** What happens to foreign keys: SQLite enforces them only on demand. */
export type ForeignKeyMode = "enforce" | "record";

/** A table whose rows have been copied, and where it is. */
export interface FilledTable {
  readonly dialect: Dialect;
  readonly transaction: Transaction;
  readonly copy: TableCopy;
  readonly losses: Losses;
}

/** Makes the indexes and foreign keys of a table, after the rows. What the target refuses is a loss. */
export async function finishTable(filled: FilledTable, mode: ForeignKeyMode): Promise<void> {
  const { table } = filled.copy;
  await createIndexes(filled);
  await createForeignKeys(filled, mode);
  for (const { name, sql } of table.triggers) {
    if (table.fullText === null || !sql.includes(table.fullText.table))
      filled.losses.push(`${table.name}: the trigger ${name}`);
  }
}

async function createIndexes(filled: FilledTable): Promise<void> {
  const { table } = filled.copy;
  const name = filled.dialect.definitions.declaredName;
  for (const { origin, columns, partial, unique, name: index } of table.indexes) {
    if (origin !== "c") continue;
    if (partial || columns.includes(null)) {
      filled.losses.push(`${table.name}: the index ${index}, which is partial or of an expression`);
      continue;
    }
    const list = columns.flatMap((column) => (column === null ? [] : [name(column)])).join(", ");
    const verb = unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
    await attempt(filled, `the index ${index}`, `${verb} ${name(index)} ON ${name(table.name)} (${list})`);
  }
}

/** Keys to tables that do not exist can only be recorded: they still show which rows belong together. */
async function createForeignKeys(filled: FilledTable, mode: ForeignKeyMode): Promise<void> {
  const { dialect, transaction, copy, losses } = filled;
  const { table } = copy;
  const { addForeignKey, recordForeignKeys, uncheckedKey } = dialect.definitions;
  const { tables } = await transaction.schema();
  const declared = table.foreignKeys.toReversed();
  const enforced = mode === "record" ? [] : declared.filter(({ otherTable }) => tables.has(otherTable));
  const recorded = declared.filter((key) => !enforced.includes(key));
  for (const key of enforced) {
    const sql = addForeignKey(table.name, key);
    if (sql === null) continue;
    const what = `the foreign key to ${key.otherTable}`;
    const failure = await failureOf(transaction, sql);
    if (failure === null) continue;
    if (!(failure instanceof SqlFailed) || failure.kind !== "constraint") {
      losses.push(`${table.name}: ${what}: ${errorText(failure)}`);
      continue;
    }
    losses.push(`${table.name}: ${what} holds for new rows only: ${errorText(failure)}`);
    await attempt(filled, what, sql + uncheckedKey);
  }
  const sql = recorded.length === 0 ? null : recordForeignKeys(table.name, recorded);
  if (sql === null) return;
  await attempt(filled, "the record of foreign keys", sql);
  for (const { otherTable } of recorded)
    losses.push(`${table.name}: the foreign key to ${otherTable} is recorded, and not enforced`);
}

async function attempt({ transaction, copy, losses }: FilledTable, what: string, sql: string): Promise<void> {
  const failure = await failureOf(transaction, sql);
  if (failure !== null) losses.push(`${copy.table.name}: ${what}: ${errorText(failure)}`);
}

/** The error of a statement; null if it succeeds. */
const failureOf = (transaction: Transaction, sql: string): Promise<unknown> =>
  transaction.run(sql).then(
    () => null,
    (error: unknown) => error,
  );
