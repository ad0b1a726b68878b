import { RawJson, jsonText } from "rowhouse/plugin-api";
import type { Reply, AroundWrite } from "rowhouse/plugin-api";
import type { WriteVisit } from "../admission.js";
import { objectBody } from "../body.js";
import { tell } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { done, listOf } from "../replies.js";
import { batchRequest } from "./batch-request.js";
import type { BatchRequest, Step } from "./batch-request.js";
import { prepareStep } from "./operations.js";
import { asOperation } from "../operation-place.js";

/** Several writes to tables of one database, all of them or none. @throws WriteRejected and what the engine says */
export async function batchView(visit: WriteVisit): Promise<Reply> {
  const document = await objectBody(visit, "JSON must be a dictionary");
  const asked = batchRequest(document, visit.rowhouse.setting("max_batch_operations"));
  const operations = await prepareAll(visit, asked);
  const outcomes = await runAll(visit, operations, asked.dryRun);
  if (!asked.dryRun) await tellAll(visit, operations, outcomes);
  const results = asked.steps.map((step, index) => resultText(step, outcomes[index]));
  return done({ ...(asked.dryRun && { dry_run: true }), results: new RawJson(`[${results.join(", ")}]`) });
}

async function prepareAll(visit: WriteVisit, { steps }: BatchRequest): Promise<readonly WriteOperation[]> {
  const operations: WriteOperation[] = [];
  for (const [index, step] of steps.entries()) {
    operations.push(await numbered(index, () => prepareStep(visit, step)));
  }
  return operations;
}

async function numbered<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asOperation(index, error);
  }
}

/** Each operation inside the code that plugins put around writes to its table. */
async function runAll(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  dryRun: boolean,
): Promise<readonly Outcome[]> {
  const [first] = operations;
  if (first === undefined) return [];
  const wrappers = await Promise.all(operations.map((operation) => wrapperOf(visit, operation)));
  return first.database.write(
    async (transaction) => {
      const outcomes: Outcome[] = [];
      for (const [index, operation] of operations.entries()) {
        const wrapper = wrappers[index] ?? unwrapped;
        outcomes.push(await numbered(index, () => wrapper(() => operation.run(transaction), transaction)));
      }
      return outcomes;
    },
    { dryRun },
  );
}

async function wrapperOf(
  { rowhouse, request, actor }: WriteVisit,
  { database, table }: WriteOperation,
): Promise<AroundWrite> {
  const facts = { database: database.name, table, request, actor };
  return (await rowhouse.serviceIfAny("events")?.around(facts)) ?? unwrapped;
}

const unwrapped: AroundWrite = (write) => write();

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

function resultText({ op, table }: Step, outcome: Outcome | undefined): string {
  const rows = outcome?.rows ?? null;
  return jsonText({
    op,
    table,
    row_count: outcome?.count,
    ...(rows !== null && { rows: listOf(rows) }),
  });
}
