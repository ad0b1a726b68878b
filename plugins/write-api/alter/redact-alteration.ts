import { WriteRejected, type Database } from "rowhouse/plugin-api";
import { hiddenNames, redactError, viewableTables } from "../target/redact-error.js";
import type { WriteContext } from "../target/write-access.js";
import type { IntegrityViolation, IntegrityProblem } from "./integrity-check.js";

/** Replaces a problem of a view, trigger or table that the actor may not view. */
const HIDDEN_PROBLEM = "Something that you may not view would no longer work";

/** The error for the client, without details of objects that the actor may not view. */
export async function redactProblems(
  visit: WriteContext,
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
  visit: WriteContext,
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
