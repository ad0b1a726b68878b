import { WriteRejected, quoteIdentifier, type Table, type Transaction } from "rowhouse/plugin-api";
import { withOperationIndex } from "../operation.js";
import {
  readContext,
  StatementRecorder,
  type Alteration,
  type AlterationContext,
  type Altered,
} from "./alteration.js";
import { findProblems, requireNoNewProblems, type IntegrityProblems } from "./integrity-check.js";
import { searchIndex } from "./operations.js";
import { rebuild } from "./rebuild.js";
import { definitionOf, primaryKeyOf, type TableDefinition } from "./table-definition.js";

/**
 * Applies alterations in order, except that a rename comes last. Consecutive edits share one rebuild of the table.
 *
 * @throws WriteRejected, SqlFailed
 */
export async function alterByRebuild(
  transaction: Transaction,
  name: string,
  alterations: readonly Alteration[],
): Promise<Altered> {
  await requireUnenforcedKeys(transaction);
  const script = new StatementRecorder(transaction);
  const before = (await readContext(transaction, name)).table.sql ?? "";
  const problems = await findProblems(transaction, name);
  await applyAll(script, name, alterations);
  const renamed = await applyName(script, name, alterations);
  const now = await findProblems(transaction, renamed);
  requireNoNewProblems(withName(problems, name, renamed), now);
  const after = (await readContext(transaction, renamed)).table.sql ?? "";
  return { table: renamed, before, after, statements: script.statements };
}

async function applyAll(
  script: StatementRecorder,
  name: string,
  alterations: readonly Alteration[],
): Promise<void> {
  let edited: TableDefinition | null = null;
  const finish = async (): Promise<void> => {
    if (edited !== null) await rebuildAs(script, name, edited);
    edited = null;
  };
  for (const [index, alteration] of alterations.entries()) {
    if (alteration.kind === "rename") continue;
    if (alteration.kind === "statement") await finish();
    const here: AlterationContext = await readContext(script.transaction, name);
    const definition: TableDefinition = edited ?? definitionOf(here.table);
    try {
      if (alteration.kind === "edit") edited = alteration.edit(definition, here);
      else await script.run(alteration.sql(definition, here));
    } catch (error) {
      throw withOperationIndex(index, error);
    }
  }
  await finish();
}

/** @returns the new name of the table */
async function applyName(
  script: StatementRecorder,
  name: string,
  alterations: readonly Alteration[],
): Promise<string> {
  const index = alterations.findLastIndex(({ kind }) => kind === "rename");
  const last = alterations[index];
  if (last?.kind !== "rename" || last.to === name) return name;
  try {
    await rename(script, name, last.to);
  } catch (error) {
    throw withOperationIndex(index, error);
  }
  return last.to;
}

async function rebuildAs(
  script: StatementRecorder,
  name: string,
  definition: TableDefinition,
): Promise<void> {
  const { table } = await readContext(script.transaction, name);
  await requireKeysWithoutNull(script.transaction, table, definition);
  await rebuild(script, table, definition);
}

/** SQLite would replace NULLs in an integer key with new numbers. @throws WriteRejected */
async function requireKeysWithoutNull(
  transaction: Transaction,
  table: Table,
  definition: TableDefinition,
): Promise<void> {
  for (const key of primaryKeyOf(definition)) {
    if (table.primaryKeys.includes(key) || !table.columns.some(({ name }) => name === key)) continue;
    const column = quoteIdentifier(key);
    const sql = `select 1 from ${quoteIdentifier(table.name)} where ${column} is null limit 1`;
    const { rows } = await transaction.all(sql);
    if (rows.length > 0) throw new WriteRejected([`The column ${key} has NULLs: it cannot be a primary key`]);
  }
}

async function rename(script: StatementRecorder, name: string, to: string): Promise<void> {
  const { table } = await readContext(script.transaction, name);
  const index = searchIndex(table);
  if (index !== null) {
    throw new WriteRejected([`Cannot rename ${name}: ${index} is a full-text index made of it`]);
  }
  await script.run(`alter table ${quoteIdentifier(name)} rename to ${quoteIdentifier(to)}`);
}

/** If foreign keys are enforced, dropping the old table would delete rows of other tables. @throws WriteRejected */
async function requireUnenforcedKeys(transaction: Transaction): Promise<void> {
  const { rows } = await transaction.all("pragma foreign_keys");
  if (rows[0]?.[0] === 1)
    throw new WriteRejected(["Tables cannot be altered while foreign keys are enforced"]);
}

const withName = ({ broken, dangling }: IntegrityProblems, from: string, to: string): IntegrityProblems => {
  const moved = (place: string): string => (place === `triggers of ${from}` ? `triggers of ${to}` : place);
  return {
    broken: new Map([...broken].map(([place, reason]) => [moved(place), reason])),
    dangling: new Map([...dangling].map(([table, count]) => [table === from ? to : table, count])),
  };
};
