import { SqlFailed } from "rowhouse/plugin-api";
import { placeOfList, wholeTransaction } from "./alike.js";
import type { Connection } from "./connection.js";
import { asRowhouseError, isBusy } from "./errors.js";
import type { Surroundings } from "./shared-transaction.js";
import { refuse, type WriteJob } from "./write-job.js";

/**
 * Does what `first` and those behind it say alike as one text from begin to commit: the disk is at work without
 * waiting for the event loop in between.
 *
 * @returns false when it takes more than that; nothing is stored then, and all still wait
 */
export async function commitAtOnce(
  connection: Connection,
  { line, streams, host }: Surroundings,
  first: WriteJob,
): Promise<boolean> {
  const place = first.list && placeOfList(first.list);
  const { schema = null } = first.options;
  const number = schema && host.numberOf(schema);
  if (place === null || streams.areOpen() || (schema !== null && number === null)) return false;
  const jobs = await line.takeAllAlike(first);
  if (jobs === null) return false;
  const lists = jobs.flatMap(({ list }) => list ?? []);
  const transaction = wholeTransaction(lists, place, number);
  if (transaction === null) return goBack(line, jobs);
  const started = performance.now();
  try {
    const results = lists.map((list) => list.result([]));
    await connection.exec(transaction);
    line.noteCommit(jobs.length, started);
    jobs.forEach((job, index) => job.resolve(results[index]));
    return true;
  } catch (error) {
    await connection.exec("rollback").catch(() => undefined);
    const known = asRowhouseError(error);
    if (!(known instanceof SqlFailed)) return refused(jobs, known);
    // Another process's lock can be waited for; else who is to blame shows when each is alone.
    return goBack(line, isBusy(error) ? jobs : withoutLists(jobs));
  }
}

function refused(jobs: readonly WriteJob[], error: Error): true {
  refuse(jobs, error);
  return true;
}

function withoutLists(jobs: readonly WriteJob[]): readonly WriteJob[] {
  for (const job of jobs) job.list = null;
  return jobs;
}

function goBack(line: Surroundings["line"], [, ...others]: readonly WriteJob[]): false {
  line.putBack(others);
  return false;
}
