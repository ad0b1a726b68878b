import { StartupError, type Database, type Schema, type Table, type Transaction } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { requireUnchanged } from "./compare-copy.js";
import type { Losses, Sides } from "./copy-target.js";
import { createTable } from "./create-table.js";
import { fillTable } from "./fill-table.js";
import type { Rule } from "./portable-rules.js";
import { sourceOf, withoutKey, type TableCopy } from "./source-table.js";
import { createSearch, isSearchOfTable } from "./create-search.js";
import { createViews } from "./create-views.js";
import { finishTable, type ForeignKeyMode } from "./finish-table.js";
import type { TableDigest } from "./table-digest.js";
import { isSameEngine, isSearchWithoutText, runStoredStatements } from "./stored-statements.js";
import { carriedTypes, contentsOf } from "./column-kinds.js";
import { inTargetNames } from "./target-names.js";

/** Which databases are copied, and where progress is reported. */
export interface Copying {
  readonly from: Database;
  readonly to: Database;
  readonly foreignKeys: ForeignKeyMode;
  /** Called after each batch of rows. */
  readonly onRows: (table: string, count: number) => void;
}

/** What was copied. */
export interface CopyReport {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly losses: readonly string[];
}

/**
 * Copies all tables of a database and compares counts and checksums of both sides, in one transaction of the target: a
 * copy that fails or is interrupted leaves nothing behind.
 *
 * @throws StartupError if a table exists already, if the source changes meanwhile, or if the copy differs
 */
export async function copyDatabase(copying: Copying): Promise<CopyReport> {
  const { from, to } = copying;
  const schema = await from.schema();
  const losses: Losses = [];
  const all = [...schema.tables.values()];
  await requireNewNames(copying, all);
  losses.push(...(await hiddenData(from)));
  const copies: TableCopy[] = [];
  for (const table of all) {
    if (table.kind !== "table" || isInternal(table.name, from)) continue;
    const problem = problemOf(table, to);
    if (problem === null) copies.push(await planTable({ from, to, losses }, schema, table));
    else losses.push(`the table ${table.name}, ${problem}`);
  }
  const isCarried = isSameEngine(from.dialect, to.dialect)
    ? isSearchWithoutText
    : (table: Table) => isSearchOfTable(schema, table);
  for (const table of all)
    if (table.kind === "virtual" && !isCarried(table)) losses.push(`the virtual table ${table.name}`);
  const digests = await to.write((transaction) => copyAll(copying, transaction, { copies, schema, losses }));
  return { tables: [...digests].map(([name, { rows }]) => ({ name, rows })), losses };
}

/** A copy is complete only if its login can read everything. */
async function hiddenData(from: Database): Promise<readonly string[]> {
  const { hiddenData: sql } = from.dialect.definitions;
  if (sql === undefined) return [];
  const { rows } = await from.read(sql);
  return rows.map(([table, hidden]) =>
    hidden === "table"
      ? `the table ${table}, which this login may not read`
      : `${table}: rows that its policies hide from this login`,
  );
}

const isReserved = (name: string, { capabilities }: Database): boolean =>
  capabilities.dialect === "sqlite" && /^sqlite_/i.test(name);

const isInternal = (name: string, from: Database): boolean =>
  /^_rowhouse_/i.test(name) || isReserved(name, from);

/** Why the target can't have a table; null if it can. */
function problemOf({ name, columns }: Table, to: Database): string | null {
  if (columns.length === 0) return "which has no columns";
  return isReserved(name, to) ? "whose name SQLite reserves" : null;
}

async function requireNewNames({ from, to }: Copying, tables: readonly Table[]): Promise<void> {
  const taken = (await to.schema()).tables;
  const found = tables.find(({ name }) => taken.has(name) && !isInternal(name, from));
  if (found !== undefined)
    throw new StartupError(`The target has a table or view named ${found.name} already`);
}

interface Plan {
  readonly copies: readonly TableCopy[];
  readonly schema: Schema;
  readonly losses: Losses;
}

/** Returns what was copied, by table. */
async function copyAll(
  copying: Copying,
  transaction: Transaction,
  { copies, schema, losses }: Plan,
): Promise<ReadonlyMap<string, TableDigest>> {
  const { from, onRows, foreignKeys } = copying;
  const { dialect } = copying.to;
  const target = { source: from.dialect, dialect, transaction, losses };
  const rulesOf = new Map<TableCopy, readonly Rule[]>();
  for (const copy of copies) rulesOf.set(copy, await createTable(target, copy).catch(refusalOf(copy)));
  const { tables } = await transaction.schema();
  const digests = new Map<string, TableDigest>();
  for (const [copy, rules] of rulesOf) {
    const created = tables.get(copy.table.name) ?? copy.table;
    const filling = fillTable({ ...target, from, copy, rules, target: created, onRows });
    digests.set(copy.table.name, await filling.catch(refusalOf(copy)));
  }
  await requireUnchanged(from, copies, digests);
  if (isSameEngine(from.dialect, dialect)) {
    await runStoredStatements(target, schema);
    return digests;
  }
  for (const copy of copies) await finishTable({ dialect, transaction, copy, losses }, foreignKeys);
  for (const { table } of copies) await createSearch(target, schema, table);
  await createViews(target, schema, from);
  return digests;
}

/** Names the table: the target refuses, for example, names that differ only in case, and keys that become equal. */
const refusalOf =
  ({ table }: TableCopy) =>
  (error: unknown): never => {
    if (!(error instanceof SqlFailed)) throw error;
    if (error.kind === "corrupt")
      throw new StartupError(`Could not copy the table ${table.name}: ${error.message}`);
    throw new StartupError(`The target can't hold the table ${table.name}: ${error.message}`);
  };

/**
 * How a table is read, and which types its columns have in the target. Columns keep their declared types in the same
 * engine. In another one, the rows are read once to find types that hold them.
 */
async function planTable(sides: Sides, schema: Schema, table: Table): Promise<TableCopy> {
  const { from, to, losses } = sides;
  if (table.inheritingTables !== undefined)
    losses.push(
      `${table.name}: its rows are copied without those of tables that inherit from it: ${table.inheritingTables.join(", ")}`,
    );
  const renamed = inTargetNames(sides, schema, table);
  const source = sourceOf(from.dialect, table, renamed);
  if (isSameEngine(from.dialect, to.dialect))
    return { ...source, types: source.columns.map(() => "declared" as const) };
  const contents = await contentsOf(from, source);
  const types = carriedTypes(source, contents, sides);
  const hasNull = source.columns.some(
    (name, place) => renamed.primaryKeys.includes(name) && contents[place]?.hasNull,
  );
  if (!hasNull) return { ...source, types };
  const key = table.primaryKeys.join(", ");
  losses.push(`${table.name}: the primary key (${key}) is a unique constraint, because it contains NULL`);
  const keyless = sourceOf(from.dialect, table, withoutKey(renamed));
  return { ...keyless, types: keyless.hasOwnKey ? ["integer", ...types] : types };
}
