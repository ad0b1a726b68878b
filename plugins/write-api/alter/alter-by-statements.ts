import { WriteRejected, type Table, type Transaction } from "rowhouse/plugin-api";
import type { AlterDefinitions, Definitions, ForeignKey } from "rowhouse/plugin-api/engine";
import { tableChecks } from "rowhouse/plugin-api/sql";
import { withOperationIndex } from "../operation.js";
import { columnNamed } from "../rows/column-named.js";
import { readContext, StatementRecorder, type AlterationContext, type Altered } from "./alteration.js";
import { checkSql, isDropped, noSuchCheck } from "./edit-checks.js";
import { referencedColumn } from "./edit-keys.js";
import type { DroppedCheck, NewForeignKey, TableChange } from "./table-change.js";

/** The statements of an engine. */
interface Statements {
  readonly alter: AlterDefinitions;
  readonly definitions: Definitions;
}

/**
 * Changes a table by the statements of its engine, in order, except that a rename comes last.
 *
 * @throws WriteRejected, SqlFailed
 */
export async function alterByStatements(
  transaction: Transaction,
  name: string,
  changes: readonly TableChange[],
  statements: Statements,
): Promise<Altered> {
  const script = new StatementRecorder(transaction);
  const before = (await readContext(transaction, name)).table.sql ?? "";
  for (const [index, change] of changes.entries()) {
    if (change.op === "rename-table") continue;
    try {
      const context = await readContext(transaction, name);
      for (const sql of statementsFor(change, context, statements)) await script.run(sql);
    } catch (error) {
      throw withOperationIndex(index, error);
    }
  }
  const renamed = await applyRename(script, name, changes, statements);
  const after = (await readContext(transaction, renamed)).table.sql ?? "";
  return { table: renamed, before, after, statements: script.statements };
}

/** @returns the new name of the table */
async function applyRename(
  script: StatementRecorder,
  name: string,
  changes: readonly TableChange[],
  { alter }: Statements,
): Promise<string> {
  const index = changes.findLastIndex(({ op }) => op === "rename-table");
  const last = changes[index];
  if (last?.op !== "rename-table" || last.to === name) return name;
  const { table } = await readContext(script.transaction, name);
  try {
    await script.run(alter.renameTable(table, last.to));
  } catch (error) {
    throw withOperationIndex(index, error);
  }
  return last.to;
}

/** @throws WriteRejected */
function statementsFor(
  change: Exclude<TableChange, { readonly op: "rename-table" }>,
  context: AlterationContext,
  statements: Statements,
): readonly string[] {
  const { table } = context;
  const { alter } = statements;
  switch (change.op) {
    case "add-column":
      return addColumn(change, context, statements);
    case "rename-column":
      return [alter.renameColumn(table, columnNamed(table, change.name).name, change.to)];
    case "alter-column":
      if (change.changes.choices !== undefined)
        throw new WriteRejected(["The engine of this database does not change the choices of a column"]);
      return alter.alterColumn(table, columnNamed(table, change.name), change.changes);
    case "drop-column":
      return [dropColumn(table, change.name, alter)];
    case "reorder-columns":
      throw new WriteRejected(["The engine of this database does not reorder columns"]);
    case "set-primary-key":
      return alter.setPrimaryKey(
        table,
        distinct(change.columns.map((name) => columnNamed(table, name).name)),
      );
    case "add-foreign-key":
      return addForeignKeys([change.key], context, statements);
    case "drop-foreign-key":
      return [dropForeignKey(table, change.column, alter)];
    case "set-foreign-keys":
      return [
        ...table.foreignKeys.filter(isOfOneColumn).map((key) => dropStatement(table, key, alter)),
        ...addForeignKeys(change.keys, { ...context, table: { ...table, foreignKeys: [] } }, statements),
      ];
    case "add-check":
      return [alter.addConstraint(table, checkSql(change.check, table.columns))];
    case "drop-check":
      return [dropCheck(table, change.dropped, alter)];
  }
}

/** Statements drop a CHECK by its name, which every CHECK of these engines has. @throws WriteRejected */
function dropCheck(table: Table, dropped: DroppedCheck, alter: AlterDefinitions): string {
  const found = tableChecks(table.sql ?? "").find((check) => isDropped(check, dropped));
  if (found === undefined || found.name === null) throw noSuchCheck(dropped);
  return alter.dropConstraint(table, found.name);
}

function addColumn(
  { name, changes, key }: Extract<TableChange, { readonly op: "add-column" }>,
  context: AlterationContext,
  { alter, definitions }: Statements,
): readonly string[] {
  const { table } = context;
  // Other spellings are other columns, unless the engine refuses the statement.
  if (table.columns.some((column) => column.name === name))
    throw new WriteRejected([`duplicate column name: ${name}`]);
  const { type, notNull, defaultSql = null, choices = null } = changes;
  const column = { name, type: type ?? "text", notNull: notNull === true, defaultSql, choices } as const;
  const added = alter.addColumn(table, column);
  return key === null ? [added] : [added, foreignKeySql(key, context, definitions)];
}

/** Some engines drop what depends on a column. @throws WriteRejected naming what still uses it */
function dropColumn(table: Table, name: string, alter: AlterDefinitions): string {
  const column = columnNamed(table, name).name;
  const user = userOf(table, column);
  if (user !== null) throw new WriteRejected([`Cannot drop column ${column}: ${user}`]);
  return alter.dropColumn(table, column);
}

function userOf({ columns, primaryKeys, indexes, foreignKeys }: Table, column: string): string | null {
  if (columns.length === 1) return "it is the only one";
  if (primaryKeys.includes(column)) return "it is part of the primary key";
  const index = indexes.find(
    (one) => one.columns.includes(column) && (one.origin === "c" || one.columns.length > 1),
  );
  if (index !== undefined) return `the index ${index.name} uses it`;
  const key = foreignKeys.find((one) => !isOfOneColumn(one) && one.columns.includes(column));
  return key === undefined ? null : `the foreign key to ${key.otherTable} uses it`;
}

/** @throws WriteRejected for a second key of a column */
function addForeignKeys(
  keys: readonly NewForeignKey[],
  context: AlterationContext,
  { definitions }: Statements,
): readonly string[] {
  const taken = new Set(
    context.table.foreignKeys.filter(isOfOneColumn).map(({ columns: [column] }) => column),
  );
  return keys.map((key) => {
    const column = columnNamed(context.table, key.column).name;
    if (taken.has(column)) throw new WriteRejected([`The column ${column} has a foreign key already`]);
    taken.add(column);
    return foreignKeySql({ ...key, column }, context, definitions);
  });
}

/** @throws WriteRejected if the other table or column does not exist, or the engine adds no keys */
function foreignKeySql(
  key: NewForeignKey,
  { table, schema }: AlterationContext,
  { addForeignKey: add }: Definitions,
): string {
  const otherColumns = [referencedColumn(key, schema.tables)];
  const sql = add(table.name, { columns: [key.column], otherTable: key.table, otherColumns });
  if (sql === null) throw new WriteRejected(["The engine of this database does not add foreign keys"]);
  return sql;
}

function dropForeignKey(table: Table, name: string, alter: AlterDefinitions): string {
  const column = columnNamed(table, name).name;
  const key = keyOf(table, column);
  if (key === undefined) throw new WriteRejected([`The column ${column} has no foreign key of its own`]);
  return dropStatement(table, key, alter);
}

function dropStatement(table: Table, key: ForeignKey, alter: AlterDefinitions): string {
  const sql = alter.dropForeignKey(table, key);
  if (sql !== null) return sql;
  throw new WriteRejected([
    `The foreign key of ${key.columns.join(", ")} is recorded in the comment of the table: change the comment`,
  ]);
}

const isOfOneColumn = ({ columns }: ForeignKey): boolean => columns.length === 1;

const keyOf = (table: Table, column: string): ForeignKey | undefined =>
  table.foreignKeys.find((key) => isOfOneColumn(key) && key.columns[0] === column);

/** @throws WriteRejected */
function distinct(names: readonly string[]): readonly string[] {
  if (new Set(names).size < names.length) throw new WriteRejected(["A column is named twice"]);
  return names;
}
