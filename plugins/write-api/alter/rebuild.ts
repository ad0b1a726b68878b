import { quoteIdentifier, type SqlValue, type Table } from "rowhouse/plugin-api";
import { findByName } from "rowhouse/plugin-api/names";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { StatementRecorder } from "./alteration.js";
import { hasConstraint } from "./column-definition.js";
import { definitionSql, primaryKeyOf, type TableDefinition } from "./table-definition.js";

/**
 * Rebuilds a table with another definition, as SQLite recommends (https://www.sqlite.org/lang_altertable.html#otheralter):
 * copies the rows to a new table and renames it. Rowids, indexes, triggers and references to the table are kept.
 *
 * @throws SqlFailed if the rows violate the new definition
 */
export async function rebuild(
  script: StatementRecorder,
  table: Table,
  definition: TableDefinition,
): Promise<void> {
  const temporary = `_rowhouse_altered_${table.name}`;
  const [from, to] = [quoteIdentifier(table.name), quoteIdentifier(temporary)];
  const sequence = await sequenceOf(script, table.name);
  try {
    await script.run(definitionSql(temporary, definition));
    const columns = copiedColumns(table, definition).map(quoteIdentifier).join(", ");
    await script.run(`insert into ${to} (${columns}) select ${columns} from ${from}`);
  } catch (error) {
    throw withOriginalName(error, temporary, table.name);
  }
  await script.run(`drop table ${from}`);
  // Without this, the rename would fail for views and triggers that name the table, because it does not exist right now.
  await script.run("pragma legacy_alter_table = on");
  try {
    await script.run(`alter table ${to} rename to ${from}`);
  } finally {
    await script.run("pragma legacy_alter_table = off");
  }
  for (const { sql } of [...table.indexes, ...table.triggers]) if (sql !== null) await script.run(sql);
  if (sequence !== null) await restoreSequence(script, table.name, sequence);
}

/** The columns that both definitions have, and the rowid unless a column is an alias of it. */
function copiedColumns(table: Table, definition: TableDefinition): readonly string[] {
  const kept = definition.columns
    .filter((column) => column.isNew !== true && !hasConstraint(column, "generated"))
    .map(({ name }) => name);
  if (!table.hasRowid || keyIsRowid(definition)) return kept;
  const taken = [...table.columns, ...definition.columns].map(({ name }) => name.toLowerCase());
  const rowid = ["rowid", "_rowid_", "oid"].find((name) => !taken.includes(name));
  return rowid === undefined ? kept : [rowid, ...kept];
}

/** Is the primary key an alias of the rowid? */
function keyIsRowid(definition: TableDefinition): boolean {
  const [only, ...more] = primaryKeyOf(definition);
  if (only === undefined || more.length > 0) return false;
  const column = findByName(definition.columns, only);
  if (column?.type.toUpperCase() !== "INTEGER") return false;
  return !column.constraints.some(({ kind, text }) => kind === "primary-key" && /\bdesc\b/i.test(text));
}

/** Replaces the temporary table name in error messages. */
function withOriginalName(error: unknown, temporary: string, name: string): unknown {
  if (!(error instanceof SqlFailed) || !error.message.includes(temporary)) return error;
  return new SqlFailed(error.message.replaceAll(temporary, name), error.kind, { cause: error });
}

/** The last number that AUTOINCREMENT assigned in the table; null without AUTOINCREMENT. */
async function sequenceOf({ transaction }: StatementRecorder, table: string): Promise<SqlValue> {
  if (!(await transaction.schema()).tables.has("sqlite_sequence")) return null;
  const { rows } = await transaction.all("select seq from sqlite_sequence where name = ?", [table]);
  return rows[0]?.[0] ?? null;
}

async function restoreSequence(
  { transaction }: StatementRecorder,
  table: string,
  sequence: SqlValue,
): Promise<void> {
  const still = (await transaction.schema()).tables.get(table)?.sql ?? "";
  if (!/\bautoincrement\b/i.test(still)) return;
  await transaction.run("delete from sqlite_sequence where name = ?", [table]);
  await transaction.run("insert into sqlite_sequence (name, seq) values (?, ?)", [table, sequence]);
}
