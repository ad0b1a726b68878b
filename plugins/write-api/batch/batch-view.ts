import { jsonText, WriteRejected, type Reply, type Transaction } from "rowhouse/plugin-api";
import { SchemaChanged } from "rowhouse/plugin-api/errors";
import { RawJson } from "rowhouse/plugin-api/json";
import type { AroundWrite } from "rowhouse/plugin-api/contracts";
import { replyOnce, type IdempotentRequest } from "../idempotency/idempotency-store.js";
import { jsonList, objectBody, okReply } from "../json/body.js";
import {
  trackEvents,
  withOperationIndex,
  readIdempotencyKeyWithBody,
  type Outcome,
  type WriteOperation,
} from "../operation.js";
import { redactError } from "../target/redact-error.js";
import type { WriteContext } from "../target/write-access.js";
import { writeRoute } from "../target/write-route.js";
import { irreversible, undoText, type ReversibleOperation } from "./inverse.js";
import { BatchPreparation, parseBatchRequest, type BatchRequest, type Step } from "./batch-request.js";

/** `POST /<database>/-/batch`: several writes in one transaction. Each operation has its own permissions and target. */
export const batchRoute = writeRoute<"instance">({
  name: "batch",
  path: "/:database/-/batch",
  target: "instance",
  requires: () => [],
  async prepare(visit) {
    const document = await objectBody(visit, "JSON must be a dictionary");
    const batch = parseBatchRequest(document, visit.rowhouse.setting("max_batch_operations"));
    const prepared = await prepareAll(visit, batch, visit.names.database ?? "");
    const once = batch.dryRun ? null : await readIdempotencyKeyWithBody(visit);
    return () => runBatch(visit, batch, { prepared, once });
  },
});

interface PreparedBatch {
  readonly prepared: readonly ReversibleOperation[];
  readonly once: IdempotentRequest | null;
}

async function runBatch(
  context: WriteContext,
  batch: BatchRequest,
  { prepared, once }: PreparedBatch,
): Promise<Reply> {
  const operations = prepared.map(({ operation }) => operation);
  let outcomes: readonly Outcome[] = [];
  const { reply, isNew } = await runInTransaction(context, operations, {
    dryRun: batch.dryRun,
    work: (transaction, runAll) => {
      const produce = async (): Promise<Reply> => {
        outcomes = await runAll();
        return replyFor(batch, outcomes, prepared);
      };
      const [first] = operations;
      return once === null || first === undefined
        ? asNew(produce())
        : replyOnce(first.database.dialect, transaction, once, produce);
    },
  });
  if (isNew && !batch.dryRun) await trackAllEvents(context, operations, outcomes);
  return reply;
}

const asNew = async (reply: Promise<Reply>) => ({ reply: await reply, isNew: true });

async function prepareAll(
  context: WriteContext,
  { steps, wantsUndo }: BatchRequest,
  database: string,
): Promise<readonly ReversibleOperation[]> {
  const preparation = new BatchPreparation(context, database);
  const operations: ReversibleOperation[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      const prepared = wantsUndo
        ? await preparation.prepareReversible(step)
        : irreversible(await preparation.prepare(step));
      operations.push(prepared);
    } catch (error) {
      throw withOperationIndex(index, error);
    }
  }
  return operations;
}

async function trackAllEvents(
  visit: WriteContext,
  operations: readonly WriteOperation[],
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) await trackEvents(visit, operation, outcome);
  }
}

function replyFor(
  { steps, dryRun, wantsUndo }: BatchRequest,
  outcomes: readonly Outcome[],
  prepared: readonly ReversibleOperation[],
): Reply {
  const results = steps.map((step, index) => resultText(step, outcomes[index]));
  return okReply({
    ...(dryRun && { dry_run: true }),
    results: new RawJson(`[${results.join(", ")}]`),
    ...(wantsUndo && { undo: undoText(prepared) }),
  });
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
async function runInTransaction<T>(
  visit: WriteContext,
  operations: readonly WriteOperation[],
  { dryRun, work }: BatchRun<T>,
): Promise<T> {
  const [first] = operations;
  if (first === undefined) throw new WriteRejected(['"operations" must not be empty']);
  const { database, schema } = first;
  // The schema changed while the operations were prepared.
  if (operations.some((operation) => operation.schema?.version !== schema?.version))
    throw new SchemaChanged();
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
    return await database.write((transaction) => work(transaction, () => runAll(transaction)), {
      dryRun,
      schema,
      repeatable: wrappers.every((wrapper) => wrapper === noWrapper),
    });
  } catch (error) {
    const tables = [...new Set(operations.flatMap(({ table }) => table ?? []))];
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
  { rowhouse, request, actor }: WriteContext,
  { database, table }: WriteOperation,
): Promise<AroundWrite> {
  const facts = { database: database.name, table, request, actor };
  return (await rowhouse.serviceIfAny("events")?.around(facts)) ?? noWrapper;
}

const noWrapper: AroundWrite = (write) => write();
