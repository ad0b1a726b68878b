import type { Dialect } from "rowhouse/plugin-api/engine";
import { messageOf, type Table, type Transaction } from "rowhouse/plugin-api";
import { foldName } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { failureOf, triggerLoss, type Losses } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { indexStatement } from "./portable-index.js";

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
  for (const trigger of table.triggers)
    if (!isOfSearch(trigger.sql, table)) filled.losses.push(`${table.name}: ${triggerLoss(trigger)}`);
}

/** True for a trigger that changes the full-text index of a table: the search in the target follows the rows itself. */
const isOfSearch = (sql: string, { name, fullText }: Table): boolean =>
  fullText !== null &&
  fullText.table !== name &&
  meaningful(sqlTokens(sql)).some(({ text }) => foldName(unquote(text)) === foldName(fullText.table));

async function createIndexes(filled: FilledTable): Promise<void> {
  const { table, columns, types } = filled.copy;
  const target = {
    types: new Map(columns.map((name, place) => [name, types[place] ?? "text"])),
    quote: filled.dialect.publishedIdentifier,
  };
  for (const index of table.indexes) {
    // The search of a table is made with an index of its own.
    const isOfSearch = table.fullText?.vector !== undefined && index.columns.includes(table.fullText.vector);
    if (index.origin === "u" && !index.unique)
      filled.losses.push(`${table.name}: the exclusion constraint ${index.name}: ${index.sql}`);
    if (index.origin !== "c" || isOfSearch) continue;
    const sql = indexStatement(filled.dialect, { table: table.name, index, columns: target });
    if (sql === null)
      filled.losses.push(`${table.name}: the index ${index.name}: ${index.sql ?? "no statement"}`);
    else await attempt(filled, `the index ${index.name}`, sql);
  }
}

/**
 * Keys to tables that do not exist, or to columns of another type, can only be recorded: they still show which rows belong
 * together.
 */
async function createForeignKeys(filled: FilledTable, mode: ForeignKeyMode): Promise<void> {
  const { dialect, transaction, copy, losses } = filled;
  const { table } = copy;
  const { addForeignKey, recordForeignKeys, uncheckedKey } = dialect.definitions;
  const { tables } = await transaction.schema();
  const declared = table.foreignKeys.toReversed();
  const enforced = mode === "record" ? [] : declared.filter(({ otherTable }) => tables.has(otherTable));
  const recorded = new Map(declared.filter((key) => !enforced.includes(key)).map((key) => [key, ""]));
  for (const key of enforced) {
    const sql = addForeignKey(table.name, key);
    if (sql === null) continue;
    const what = `the foreign key to ${key.otherTable}`;
    const failure = await failureOf(transaction.run(sql));
    if (failure === null) continue;
    if (!(failure instanceof SqlFailed) || failure.kind !== "constraint") {
      recorded.set(key, `: ${messageOf(failure)}`);
      continue;
    }
    losses.push(`${table.name}: ${what} holds for new rows only: ${messageOf(failure)}`);
    await attempt(filled, what, sql + uncheckedKey);
  }
  const sql = recorded.size === 0 ? null : recordForeignKeys(table.name, [...recorded.keys()]);
  if (sql === null) return;
  await attempt(filled, "the record of foreign keys", sql);
  for (const [{ otherTable }, reason] of recorded)
    losses.push(`${table.name}: the foreign key to ${otherTable} is recorded, and not enforced${reason}`);
}

async function attempt({ transaction, copy, losses }: FilledTable, what: string, sql: string): Promise<void> {
  const failure = await failureOf(transaction.run(sql));
  if (failure !== null) losses.push(`${copy.table.name}: ${what}: ${messageOf(failure)}`);
}
