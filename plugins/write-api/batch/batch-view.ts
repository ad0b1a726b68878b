import { RawJson, jsonText, tildeDecode } from "rowhouse/plugin-api";
import type { Reply, AroundWrite, Transaction } from "rowhouse/plugin-api";
import { onceOnlyWithBody } from "../idempotency/idempotency-key.js";
import { answerOnce } from "../idempotency/idempotency-store.js";
import { objectBody, done, listOf } from "../json/body.js";
import { tell, asOperation } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { redactError } from "../target/redact-error.js";
import { batchRequest, prepareStep } from "./batch-request.js";
import type { BatchRequest, Step } from "./batch-request.js";

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

interface Running<T> {
  readonly dryRun: boolean;
  /** @param runAll runs every operation in its turn */
  work(transaction: Transaction, runAll: () => Promise<readonly Outcome[]>): Promise<T>;
}

/** One transaction for operations on one database, each inside the code that plugins put around writes to its table. */
export async function runInTransaction<T>(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  { dryRun, work }: Running<T>,
): Promise<T> {
  const database = visit.rowhouse.database(tildeDecode(visit.params["database"] ?? ""));
  const arounds = await Promise.all(operations.map((operation) => aroundOf(visit, operation)));
  const runAll = async (transaction: Transaction): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const [index, operation] of operations.entries()) {
      const around = arounds[index] ?? nothingAround;
      outcomes.push(await numbered(index, () => around(() => operation.run(transaction), transaction)));
    }
    return outcomes;
  };
  try {
    return await database.write((transaction) => work(transaction, () => runAll(transaction)), { dryRun });
  } catch (error) {
    const tables = [...new Set(operations.map(({ table }) => table))];
    throw await redactError(visit, { database, tables }, error);
  }
}

async function numbered<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asOperation(index, error);
  }
}

async function aroundOf(
  { rowhouse, request, actor }: WriteVisit,
  { database, table }: WriteOperation,
): Promise<AroundWrite> {
  const facts = { database: database.name, table, request, actor };
  return (await rowhouse.serviceIfAny("events")?.around(facts)) ?? nothingAround;
}

const nothingAround: AroundWrite = (write) => write();
