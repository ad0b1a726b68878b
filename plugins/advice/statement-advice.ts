import type { Actor, Rowhouse } from "rowhouse/plugin-api";
import type { StatementAdvice } from "rowhouse/plugin-api/contracts";
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
): Promise<readonly StatementAdvice[]> {
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
): Promise<readonly StatementAdvice[]> =>
  error instanceof QueryInterrupted && error.statement !== null
    ? statementAdvice(rowhouse, actor, error.statement)
    : [];

const reasonOf = ({ kind, table, purpose }: CostlyStep): string =>
  kind === "scan" ? `reads every row of ${table ?? ""}` : `sorts rows for ${purpose ?? ""}`;

/** Steps that the same index would replace become one piece of advice. */
function byIndex(steps: readonly CostlyStep[]): readonly StatementAdvice[] {
  const byReason = new Map<string, Map<string, CostlyStep>>();
  for (const step of steps) {
    const key = step.index?.sql ?? "";
    byReason.set(key, (byReason.get(key) ?? new Map<string, CostlyStep>()).set(reasonOf(step), step));
  }
  return [...byReason].map(([sql, reasons]) => ({
    reason: [...reasons.keys()].join(" and "),
    index: sql === "" ? null : sql,
    steps: [...reasons.values()].map(({ kind, table, purpose }) => ({ kind, table, purpose })),
  }));
}
