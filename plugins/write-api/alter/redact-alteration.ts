import { SqlFailed, WriteRejected } from "rowhouse/plugin-api";
import type { Database } from "rowhouse/plugin-api";
import type { WriteVisit } from "../target/authorize-write.js";
import { redactError, hiddenNames, viewableTables } from "../target/redact-error.js";
import { canViewNamedTable } from "../target/table-target.js";
import type { IntegrityProblem, IntegrityViolation } from "./integrity-check.js";

/** Replaces a problem of a view, trigger or table that the actor may not view. */
const HIDDEN_PROBLEM = "Something that you may not view would no longer work";

/** The error for the client, without details of objects that the actor may not view. */
export async function redactProblems(
  visit: WriteVisit,
  database: Database,
  { problems }: IntegrityViolation,
): Promise<unknown> {
  const shown = new Set(
    await viewableTables(visit, database, [...new Set(problems.map(({ about }) => about))]),
  );
  const redacted = problems.map(({ about, message }: IntegrityProblem) =>
    shown.has(about) ? message : HIDDEN_PROBLEM,
  );
  const tables = [...shown];
  return redactError(visit, { database, tables }, new WriteRejected([...new Set(redacted)]));
}

/** The statements without those that name objects which the actor may not view. */
export async function visibleStatements(
  visit: WriteVisit,
  database: Database,
  statements: readonly string[],
): Promise<readonly string[]> {
  const visible: string[] = [];
  for (const statement of statements) {
    const secrets = await hiddenNames(visit, { database, tables: [] }, [statement]);
    if (secrets.length === 0) visible.push(statement);
  }
  return visible;
}

/**
 * Runs a view that changes the definition of a table. The reason of a failure reveals the definition, so actors who may
 * alter the table but not view it get a message without the reason.
 *
 * @throws WriteRejected, SqlFailed
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
