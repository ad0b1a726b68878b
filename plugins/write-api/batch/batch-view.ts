import { RawJson, jsonText, tildeDecode } from "rowhouse/plugin-api";
import type { Reply, AroundWrite, Transaction } from "rowhouse/plugin-api";
import { readIdempotencyKeyWithBody } from "../idempotency/idempotency-key.js";
import { replyOnce } from "../idempotency/idempotency-store.js";
import { objectBody, okReply, jsonList } from "../json/body.js";
import { trackEvents, withOperationIndex } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { redactError } from "../target/redact-error.js";
import { parseBatchRequest, prepareStep } from "./batch-request.js";
import type { BatchRequest, Step } from "./batch-request.js";

/** `POST /<database>/-/batch`: several writes in one transaction. @throws WriteRejected, SqlFailed */
export async function batchView(visit: WriteVisit): Promise<Reply> {
  const document = await objectBody(visit, "JSON must be a dictionary");
  const batch = parseBatchRequest(document, visit.rowhouse.setting("max_batch_operations"));
  const operations = await prepareAll(visit, batch);
  const once = batch.dryRun ? null : await readIdempotencyKeyWithBody(visit);
  let outcomes: readonly Outcome[] = [];
  const { reply, isNew } = await runInTransaction(visit, operations, {
    dryRun: batch.dryRun,
    work: (transaction, runAll) => {
      const produce = async (): Promise<Reply> => replyFor(batch, (outcomes = await runAll()));
      return once === null ? asNew(produce()) : replyOnce(transaction, once, produce);
    },
  });
  if (isNew && !batch.dryRun) await trackAllEvents(visit, operations, outcomes);
  return reply;
}

const asNew = async (reply: Promise<Reply>) => ({ reply: await reply, isNew: true });

async function prepareAll(visit: WriteVisit, { steps }: BatchRequest): Promise<readonly WriteOperation[]> {
  const operations: WriteOperation[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      operations.push(await prepareStep(visit, step));
    } catch (error) {
      throw withOperationIndex(index, error);
    }
  }
  return operations;
}

async function trackAllEvents(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) await trackEvents(visit, operation, outcome);
  }
}

function replyFor({ steps, dryRun }: BatchRequest, outcomes: readonly Outcome[]): Reply {
  const results = steps.map((step, index) => resultText(step, outcomes[index]));
  return okReply({ ...(dryRun && { dry_run: true }), results: new RawJson(`[${results.join(", ")}]`) });
}

function resultText({ op, table }: Step, outcome: Outcome | undefined): string {
  const rows = outcome?.rows ?? null;
  return jsonText({
    op,
    table,
    row_count: outcome?.count,
    ...(rows !== null && { rows: jsonList(rows) }),
  });
}

interface BatchRun<T> {
  readonly dryRun: boolean;
  /** @param runAll runs all operations in order */
  work(transaction: Transaction, runAll: () => Promise<readonly Outcome[]>): Promise<T>;
}

/** Runs operations on one database in one transaction, each inside the write wrappers for its table. */
export async function runInTransaction<T>(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  { dryRun, work }: BatchRun<T>,
): Promise<T> {
  const database = visit.rowhouse.database(tildeDecode(visit.params["database"] ?? ""));
  const wrappers = await Promise.all(operations.map((operation) => writeWrapperOf(visit, operation)));
  const runAll = async (transaction: Transaction): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const [index, operation] of operations.entries()) {
      const wrapper = wrappers[index] ?? noWrapper;
      outcomes.push(
        await withIndexOnError(index, () => wrapper(() => operation.run(transaction), transaction)),
      );
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

async function withIndexOnError<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withOperationIndex(index, error);
  }
}

async function writeWrapperOf(
  { rowhouse, request, actor }: WriteVisit,
  { database, table }: WriteOperation,
): Promise<AroundWrite> {
  const facts = { database: database.name, table, request, actor };
  return (await rowhouse.serviceIfAny("events")?.around(facts)) ?? noWrapper;
}

const noWrapper: AroundWrite = (write) => write();
