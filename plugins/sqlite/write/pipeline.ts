import { SqlFailed, type BulkStatement } from "rowhouse/plugin-api";
import { bulkParameter, wholeTransaction } from "./batch.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, isBusy } from "../open/errors.js";
import type { CommitContext } from "./commit.js";
import { refuse, type WriteJob } from "./job.js";

/** Works that say alike, and the text that does what they say, from begin to commit. */
interface Lot {
  readonly jobs: readonly WriteJob[];
  readonly results: readonly unknown[];
  readonly text: string;
}

/**
 * Does what `first` and those behind it say alike as one text: the disk is at work without waiting for the event loop
 * in between. As long as enough others wait by then, the next text is under way before anybody is answered.
 *
 * @returns false when `first` takes more than that; nothing is stored then, and the others still wait
 */
export async function commitBatches(
  connection: Connection,
  around: CommitContext,
  first: WriteJob,
): Promise<boolean> {
  const { line } = around;
  const jobs = canBeText(around, first) ? await line.collectBatch(first) : null;
  if (jobs === null) return false;
  const lot = lotOf(around, jobs);
  if (lot === null) {
    line.putBack(jobs.slice(1));
    return false;
  }
  try {
    await store(connection, around, lot);
  } catch (error) {
    await standBack(connection, around, lot, error);
    return true;
  }
  await goOn(connection, around, lot);
  return true;
}

/** Answers the works of `stored` as soon as the next lot is on its way, if there is one, and goes on with that. */
async function goOn(connection: Connection, around: CommitContext, stored: Lot): Promise<void> {
  let last = stored;
  for (let lot = nextLot(around); lot !== null; lot = nextLot(around)) {
    const underWay = [store(connection, around, lot), around.isCurrent(connection)] as const;
    answer(last);
    const [storing, looking] = await Promise.allSettled(underWay);
    // Nobody is told of what went into a file that is not the database's any more.
    if (looking.status === "rejected") return refuse(lot.jobs, looking.reason as Error);
    if (!looking.value) return around.line.putBack(lot.jobs);
    if (storing.status === "rejected") return around.line.putBack(unlessRefused(lot, storing.reason));
    last = lot;
  }
  answer(last);
}

/** Those next in line, where enough of them wait and say alike. */
function nextLot(around: CommitContext): Lot | null {
  const { line } = around;
  const [first] = line.waiting;
  if (first === undefined || !canBeText(around, first)) return null;
  const jobs = line.takeFullBatch();
  const lot = jobs.length === 0 ? null : lotOf(around, jobs);
  if (lot === null) line.putBack(jobs);
  return lot;
}

/** Can it be said in one text, with nobody in the way whom only a transaction step by step makes way for? */
const canBeText = ({ streams }: CommitContext, { bulk }: WriteJob): boolean =>
  bulk !== null && !streams.areOpen() && bulkParameter(bulk) !== null;

/** Null where the text would be too long, or they were made for a schema that is none any more. */
function lotOf({ host }: CommitContext, jobs: readonly WriteJob[]): Lot | null {
  const lists = jobs.flatMap(({ bulk }) => bulk ?? []);
  const schema = jobs[0]?.options.schema ?? null;
  const number = schema && host.numberOf(schema);
  if (schema !== null && number === null) return null;
  const text = wholeTransaction(lists, number);
  const results = text === null ? null : resultsOf(lists);
  return text === null || results === null ? null : { jobs, results, text };
}

/** Null where somebody's code fails, which is that work's own affair. */
function resultsOf(lists: readonly BulkStatement<unknown>[]): readonly unknown[] | null {
  try {
    return lists.map((list) => list.result([]));
  } catch {
    return null;
  }
}

async function store(connection: Connection, { line }: CommitContext, { jobs, text }: Lot): Promise<void> {
  const started = performance.now();
  try {
    await connection.exec(text);
  } catch (error) {
    await connection.exec("rollback").catch(() => undefined);
    throw error;
  }
  line.noteCommit(jobs.length, started);
}

function answer({ jobs, results }: Lot): void {
  jobs.forEach((job, index) => job.resolve(results[index]));
}

/** The first lot has failed: because its file has gone, perhaps. */
async function standBack(
  connection: Connection,
  { line, isCurrent }: CommitContext,
  lot: Lot,
  error: unknown,
): Promise<void> {
  try {
    await isCurrent(connection);
  } catch (reason) {
    return refuse(lot.jobs, reason as Error);
  }
  line.putBack(unlessRefused(lot, error));
}

/** Those who go back to wait after their text has failed: all, or none, who are told why then. */
function unlessRefused({ jobs }: Lot, error: unknown): readonly WriteJob[] {
  const known = asRowhouseError(error);
  if (!(known instanceof SqlFailed)) {
    refuse(jobs, known);
    return [];
  }
  // Another process's lock is waited for step by step; else who is to blame shows when each is alone.
  for (const job of isBusy(error) ? jobs.slice(0, 1) : jobs) job.bulk = null;
  return jobs;
}
