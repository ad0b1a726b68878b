import type { BulkStatement } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, isBusy } from "../open/errors.js";
import { bulkParameter, transactionSql } from "./batch.js";
import type { CommitContext } from "./commit.js";
import { rejectAll, type WriteJob } from "./queue.js";

/** Writes with the same bulk statement, and the SQL that stores all of them, from BEGIN to COMMIT. */
interface CommitBatch {
  readonly jobs: readonly WriteJob[];
  readonly results: readonly unknown[];
  readonly sql: string;
}

/**
 * Commits `first` and the writes behind it with the same bulk statement in one call of the driver, so that the disk
 * works without waiting for the event loop. Then commits further batches: the commit of a batch starts before the writes
 * of the batch before it are answered. It ends when there is no further batch, or a batch fails.
 *
 * @returns false if `first` needs a transaction; nothing was written then, and the other writes are still queued
 */
export async function commitBatches(
  connection: Connection,
  context: CommitContext,
  first: WriteJob,
): Promise<boolean> {
  let batch = await firstBatch(context, first);
  if (batch === null) return false;
  let committed: CommitBatch | null = null;
  let isFirst = true;
  for (; batch !== null; batch = nextBatch(context)) {
    const committing = commit(connection, context, batch);
    const checkFile = (): Promise<boolean> => context.isCurrentFile(connection);
    // The writer checks the file just before the first batch. Only a failure makes another check necessary.
    const checking = isFirst ? committing.then(() => true, checkFile) : checkFile();
    isFirst = false;
    answer(committed);
    const [commitResult, isCurrent] = await Promise.allSettled([committing, checking]);
    committed = null;
    // Writes to a file that is no longer the file of the database are not answered as stored.
    if (isCurrent.status === "rejected") rejectAll(batch.jobs, isCurrent.reason);
    else if (!isCurrent.value) context.queue.putBack(batch.jobs);
    else if (commitResult.status === "rejected") context.queue.putBack(toRetry(batch, commitResult.reason));
    else committed = batch;
    if (committed === null) break;
  }
  answer(committed);
  return true;
}

async function firstBatch(context: CommitContext, first: WriteJob): Promise<CommitBatch | null> {
  const jobs = canBatch(context, first) ? await context.queue.collectBatch(first) : null;
  const batch = jobs === null ? null : toCommitBatch(context, jobs);
  if (jobs !== null && batch === null) context.queue.putBack(jobs.slice(1));
  return batch;
}

/** The writes at the front of the queue, if they fill a batch. */
function nextBatch(context: CommitContext): CommitBatch | null {
  const { queue } = context;
  if (queue.first === undefined || !canBatch(context, queue.first)) return null;
  const jobs = queue.takeFullBatch();
  const batch = jobs.length === 0 ? null : toCommitBatch(context, jobs);
  if (batch === null) queue.putBack(jobs);
  return batch;
}

/** An open stream holds a read lock. Only `SharedTransaction` releases it before the commit. */
const canBatch = ({ streams }: CommitContext, { bulk }: WriteJob): boolean =>
  bulk !== null && !streams.areOpen() && bulkParameter(bulk) !== null;

/** Null if the SQL would be too long, or the writes were prepared for a schema that no longer exists. */
function toCommitBatch({ schemas }: CommitContext, jobs: readonly WriteJob[]): CommitBatch | null {
  const writes = jobs.flatMap(({ bulk }) => bulk ?? []);
  const schema = jobs[0]?.options.schema ?? null;
  const schemaNumber = schema && schemas.numberOf(schema);
  if (schema !== null && schemaNumber === null) return null;
  const sql = transactionSql(writes, schemaNumber);
  const results = sql === null ? null : resultsOf(writes);
  return sql === null || results === null ? null : { jobs, results, sql };
}

/** Null if the function of a write throws, which must fail this write only. */
function resultsOf(writes: readonly BulkStatement<unknown>[]): readonly unknown[] | null {
  try {
    return writes.map((write) => write.result([]));
  } catch {
    return null;
  }
}

async function commit(connection: Connection, { queue }: CommitContext, batch: CommitBatch): Promise<void> {
  const startedMs = performance.now();
  try {
    await connection.exec(batch.sql);
  } catch (error) {
    await connection.exec("rollback").catch(() => undefined);
    throw error;
  }
  queue.recordCommit(batch.jobs.length, startedMs);
}

function answer(batch: CommitBatch | null): void {
  batch?.jobs.forEach((job, index) => job.resolve(batch.results[index]));
}

/** The writes of a failed batch that are tried again, in a transaction. Rejects them if the failure concerns all. */
function toRetry({ jobs }: CommitBatch, error: unknown): readonly WriteJob[] {
  const known = asRowhouseError(error);
  if (!(known instanceof SqlFailed)) {
    rejectAll(jobs, known);
    return [];
  }
  // The transaction of the first write waits for a lock of another process. Other failures belong to one of the
  // writes: without their bulk form, each fails or succeeds by itself.
  for (const job of isBusy(error) ? jobs.slice(0, 1) : jobs) job.bulk = null;
  return jobs;
}
