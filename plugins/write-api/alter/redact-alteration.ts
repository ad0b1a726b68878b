import { SqlFailed, WriteRejected } from "rowhouse/plugin-api";
import type { Database } from "rowhouse/plugin-api";
import type { WriteVisit } from "../target/authorize-write.js";
import { redactError, hiddenNames, viewableTables } from "../target/redact-error.js";
import { canViewNamedTable } from "../target/table-target.js";
import type { IntegrityProblem, IntegrityViolation } from "./integrity-check.js";

/** Said instead of what a view, trigger or table that the actor may not view has to do with it. */
const HIDDEN_PROBLEM = "Something that you may not view would no longer work";

/** The complaints, without those about what the actor may not view. */
export async function redactProblems(
  visit: WriteVisit,
  database: Database,
  { problems }: IntegrityViolation,
): Promise<unknown> {
  const shown = new Set(
    await viewableTables(visit, database, [...new Set(problems.map(({ about }) => about))]),
  );
  const told = problems.map(({ about, message }: IntegrityProblem) =>
    shown.has(about) ? message : HIDDEN_PROBLEM,
  );
  const tables = [...shown];
  return redactError(visit, { database, tables }, new WriteRejected([...new Set(told)]));
}

/** The statements that name nothing which the actor may not view. */
export async function visibleStatements(
  visit: WriteVisit,
  database: Database,
  statements: readonly string[],
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const statement of statements) {
    const secrets = await hiddenNames(visit, { database, tables: [] }, [statement]);
    if (secrets.length === 0) told.push(statement);
  }
  return told;
}

/**
 * Runs a view that changes how a table is defined. To an actor who may alter the table and not view it, the reason of
 * a failure would tell how the table is made: they get none.
 *
 * @throws WriteRejected and what the engine says
 */
export async function hideFailureReasons<T>(visit: WriteVisit, view: () => Promise<T>): Promise<T> {
  try {
    return await view();
  } catch (error) {
    const tells = error instanceof SqlFailed || error instanceof WriteRejected;
    if (!tells || error.status !== 400 || (await canViewNamedTable(visit))) throw error;
    throw new WriteRejected(["The table cannot be changed like this (the reason needs view-table)"]);
  }
}
