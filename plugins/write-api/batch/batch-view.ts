import { RawJson, jsonText } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { objectBody } from "../body.js";
import { onceOnlyWithBody } from "../idempotency/idempotency-key.js";
import { answerOnce } from "../idempotency/idempotency-store.js";
import { tell } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { asOperation } from "../operation-place.js";
import { done, listOf } from "../replies.js";
import { batchRequest } from "./batch-request.js";
import type { BatchRequest, Step } from "./batch-request.js";
import { prepareStep } from "./operations.js";
import { runInTransaction } from "./run.js";

/** Several writes to tables of one database, all of them or none. @throws WriteRejected and what the engine says */
export async function batchView(visit: WriteVisit): Promise<Reply> {
  const document = await objectBody(visit, "JSON must be a dictionary");
  const asked = batchRequest(document, visit.rowhouse.setting("max_batch_operations"));
  const operations = await prepareAll(visit, asked);
  const once = asked.dryRun ? null : await onceOnlyWithBody(visit);
  let outcomes: readonly Outcome[] = [];
  const { reply, isNew } = await runInTransaction(visit, operations, {
    dryRun: asked.dryRun,
    work: (transaction, runAll) => {
      const produce = async (): Promise<Reply> => described(asked, (outcomes = await runAll()));
      return once === null ? asNew(produce()) : answerOnce(transaction, once, produce);
    },
  });
  if (isNew && !asked.dryRun) await tellAll(visit, operations, outcomes);
  return reply;
}

const asNew = async (reply: Promise<Reply>) => ({ reply: await reply, isNew: true });

async function prepareAll(visit: WriteVisit, { steps }: BatchRequest): Promise<readonly WriteOperation[]> {
  const operations: WriteOperation[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      operations.push(await prepareStep(visit, step));
    } catch (error) {
      throw asOperation(index, error);
    }
  }
  return operations;
}

async function tellAll(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) await tell(visit, operation, outcome);
  }
}

function described({ steps, dryRun }: BatchRequest, outcomes: readonly Outcome[]): Reply {
  const results = steps.map((step, index) => resultText(step, outcomes[index]));
  return done({ ...(dryRun && { dry_run: true }), results: new RawJson(`[${results.join(", ")}]`) });
}

function resultText({ op, table }: Step, outcome: Outcome | undefined): string {
  const rows = outcome?.rows ?? null;
  return jsonText({
    op,
    table,
    row_count: outcome?.count,
    ...(rows !== null && { rows: listOf(rows) }),
  });
}
