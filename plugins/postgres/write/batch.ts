import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { TextResult } from "../connect/session.js";
import { RowWriter } from "../read/values.js";

/** The part of a queued write that decides which writes it can share a statement with. */
export interface BatchableWrite {
  readonly options: Pick<WriteOptions, "schema" | "dryRun" | "transaction" | "timeoutMs">;
  readonly bulk: BulkStatement<unknown> | null;
}

/** Characters of all items of a batch. It bounds the memory, and how long the writes behind the batch wait. */
const MAX_BATCH_CHARACTERS = 1_000_000;

/**
 * Takes the writes from the front of `waiting` that can run as one statement: those with the same statement, made for
 * the same schema. @returns an empty list if the first one must run by itself
 */
export function takeBatch<Job extends BatchableWrite>(waiting: Job[]): readonly Job[] {
  const [first] = waiting;
  if (first === undefined || !isBatchable(first)) return [];
  const jobs: Job[] = [];
  let characters = 0;
  for (let next: Job | undefined = first; next !== undefined; next = waiting[0]) {
    characters += charactersOf(next);
    const isTooLong = jobs.length > 0 && characters > MAX_BATCH_CHARACTERS;
    if (isTooLong || !isBatchable(next) || !haveSameStatement(first, next)) break;
    jobs.push(next);
    waiting.shift();
  }
  return jobs;
}

const isBatchable = ({ bulk, options }: BatchableWrite): boolean =>
  bulk !== null && options.dryRun !== true && options.transaction !== false;

const haveSameStatement = (one: BatchableWrite, other: BatchableWrite): boolean =>
  other.bulk?.sql === one.bulk?.sql &&
  other.options.schema?.version === one.options.schema?.version &&
  other.options.timeoutMs === one.options.timeoutMs;

const charactersOf = ({ bulk }: BatchableWrite): number =>
  bulk?.items.reduce((sum, item) => sum + item.length + 1, 0) ?? 0;

/** The items of all writes as the one parameter of their statement. */
export const itemsOf = (writes: readonly BulkStatement<unknown>[]): string =>
  `[${writes.map(({ items }) => items.join()).join()}]`;

/** The result of each write. @throws SqlFailed if the returned rows can't be assigned to their writes */
export function resultsOf(writes: readonly BulkStatement<unknown>[], result: TextResult): readonly unknown[] {
  if (result.columns.length === 0) return writes.map((write) => write.result([]));
  const count = writes.reduce((sum, { items }) => sum + items.length, 0);
  if (result.rows.length !== count) throw new SqlFailed("Rows were left out", "other");
  const writer = new RowWriter(result, "objects", "null");
  const rows = result.rows.map((row) => writer.write(row));
  // The server returns rows in the order in which it stored them.
  let start = 0;
  return writes.map((write) => write.result(rows.slice(start, (start += write.items.length))));
}
