import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Table, Transaction } from "rowhouse/plugin-api";
import { asOperation } from "../operation.js";
import { complaintsAround, requireNoNewComplaints } from "./integrity-check.js";
import type { Complaints } from "./integrity-check.js";
import { searchIndex } from "./operations.js";
import { rebuild, Script } from "./rebuild.js";
import { definitionOf, keyOf } from "./table-definition.js";
import type { Alteration, Surroundings, TableDefinition } from "./table-definition.js";

export interface Altered {
  /** The name that the table has now. */
  readonly table: string;
  readonly before: string;
  readonly after: string;
  /** What was run. */
  readonly statements: readonly string[];
}

/**
 * Applies alterations in their order, a new name last. Edits that follow each other share one rebuild.
 *
 * @throws WriteRejected, SqlFailed
 */
export async function alterTable(
  transaction: Transaction,
  name: string,
  alterations: readonly Alteration[],
): Promise<Altered> {
  await requireUnenforcedKeys(transaction);
  const script = new Script(transaction);
  const before = (await around(transaction, name)).table.sql ?? "";
  const complaints = await complaintsAround(transaction, name);
  await applyAll(script, name, alterations);
  const renamed = await applyName(script, name, alterations);
  const now = await complaintsAround(transaction, renamed);
  requireNoNewComplaints(withName(complaints, name, renamed), now);
  const after = (await around(transaction, renamed)).table.sql ?? "";
  return { table: renamed, before, after, statements: script.statements };
}

async function applyAll(script: Script, name: string, alterations: readonly Alteration[]): Promise<void> {
  let edited: TableDefinition | null = null;
  const finish = async (): Promise<void> => {
    if (edited !== null) await rebuildAs(script, name, edited);
    edited = null;
  };
  for (const [index, alteration] of alterations.entries()) {
    if (alteration.kind === "rename") continue;
    if (alteration.kind === "statement") await finish();
    const here: Surroundings = await around(script.transaction, name);
    const definition: TableDefinition = edited ?? definitionOf(here.table);
    try {
      if (alteration.kind === "edit") edited = alteration.edit(definition, here);
      else await script.run(alteration.sql(definition, here));
    } catch (error) {
      throw asOperation(index, error);
    }
  }
  await finish();
}

/** @returns the name that the table then has */
async function applyName(script: Script, name: string, alterations: readonly Alteration[]): Promise<string> {
  const index = alterations.findLastIndex(({ kind }) => kind === "rename");
  const last = alterations[index];
  if (last?.kind !== "rename" || last.to === name) return name;
  try {
    await rename(script, name, last.to);
  } catch (error) {
    throw asOperation(index, error);
  }
  return last.to;
}

async function around(transaction: Transaction, name: string): Promise<Surroundings> {
  const schema = await transaction.schema();
  const table = schema.tables.get(name);
  if (table === undefined) throw new WriteRejected([`no such table: ${name}`]);
  return { table, schema };
}

async function rebuildAs(script: Script, name: string, definition: TableDefinition): Promise<void> {
  const { table } = await around(script.transaction, name);
  await requireWholeKeys(script.transaction, table, definition);
  await rebuild(script, table, definition);
}

/** SQLite would give numbers to rows whose key is NULL. @throws WriteRejected */
async function requireWholeKeys(
  transaction: Transaction,
  table: Table,
  definition: TableDefinition,
): Promise<void> {
  for (const key of keyOf(definition)) {
    if (table.primaryKeys.includes(key) || !table.columns.some(({ name }) => name === key)) continue;
    const column = quoteIdentifier(key);
    const sql = `select 1 from ${quoteIdentifier(table.name)} where ${column} is null limit 1`;
    const { rows } = await transaction.all(sql);
    if (rows.length > 0) throw new WriteRejected([`The column ${key} has NULLs: it cannot be a primary key`]);
  }
}

async function rename(script: Script, name: string, to: string): Promise<void> {
  const { table } = await around(script.transaction, name);
  const index = searchIndex(table);
  if (index !== null) {
    throw new WriteRejected([`Cannot rename ${name}: the full-text index ${index} is made of it`]);
  }
  await script.run(`alter table ${quoteIdentifier(name)} rename to ${quoteIdentifier(to)}`);
}

/** With keys enforced, making room for the new table would delete rows of others. @throws WriteRejected */
async function requireUnenforcedKeys(transaction: Transaction): Promise<void> {
  const { rows } = await transaction.all("pragma foreign_keys");
  if (rows[0]?.[0] === 1)
    throw new WriteRejected(["Tables cannot be altered while foreign keys are enforced"]);
}

const withName = ({ broken, dangling }: Complaints, from: string, to: string): Complaints => {
  const moved = (place: string): string => (place === `triggers of ${from}` ? `triggers of ${to}` : place);
  return {
    broken: new Map([...broken].map(([place, reason]) => [moved(place), reason])),
    dangling: new Map([...dangling].map(([table, count]) => [table === from ? to : table, count])),
  };
};
