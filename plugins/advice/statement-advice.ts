import type { Actor, Rowhouse } from "rowhouse/plugin-api";
import type { Advice } from "rowhouse/plugin-api/contracts";
import type { CostlyStep, StatementRun } from "rowhouse/plugin-api/engine";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import { readsEverything } from "./readable-tables.js";

/** Planning takes about a millisecond. It must not delay the reply to a statement that already took long. */
const TIME_LIMIT_MS = 200;
/** Reading the tokens of a longer statement would block the event loop for milliseconds. */
const MAX_SQL_CHARACTERS = 20_000;

/** @returns nothing if the actor may not know the plan, or if the engine cannot give one in time */
export async function statementAdvice(
  rowhouse: Rowhouse,
  actor: Actor | null,
  { database: name, sql, params, trust }: StatementRun,
): Promise<readonly Advice[]> {
  const database = rowhouse.databases.get(name);
  if (database?.costlySteps === undefined || sql.length > MAX_SQL_CHARACTERS) return [];
  try {
    if (!(await readsEverything(rowhouse, actor, database, sql))) return [];
    const allowlist =
      trust === "trusted" ? null : await rowhouse.serviceIfAny("confinement")?.of(actor, database);
    const steps = await database.costlySteps(sql, params, {
      timeLimitMs: TIME_LIMIT_MS,
      trust,
      ...((allowlist ?? null) !== null && { allowlist: allowlist as NonNullable<typeof allowlist> }),
    });
    return byIndex(steps);
  } catch {
    // The statement has its own reply. Whatever fails here, such as a database that is busy, must not replace it.
    return [];
  }
}

export const errorAdvice = async (
  rowhouse: Rowhouse,
  actor: Actor | null,
  error: unknown,
): Promise<readonly Advice[]> =>
  error instanceof QueryInterrupted && error.statement !== null
    ? statementAdvice(rowhouse, actor, error.statement)
    : [];

const reasonOf = ({ kind, table, purpose }: CostlyStep): string =>
  kind === "scan" ? `reads every row of ${table ?? ""}` : `sorts rows for ${purpose ?? ""}`;

/** Steps that the same index would replace become one piece of advice. */
function byIndex(steps: readonly CostlyStep[]): readonly Advice[] {
  const reasons = new Map<string, Set<string>>();
  for (const step of steps) {
    const key = step.index?.sql ?? "";
    reasons.set(key, (reasons.get(key) ?? new Set()).add(reasonOf(step)));
  }
  return [...reasons].map(([sql, texts]) => ({
    reason: [...texts].join(" and "),
    index: sql === "" ? null : sql,
  }));
}
