import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import type { TextResult } from "../connect/session.js";
import { RowWriter } from "../read/values.js";
import { bind, singleStatement, type BoundSql, type Statement } from "../sql/statement.js";
import {
  isLikely,
  schemaConditions,
  SNAPSHOT,
  SNAPSHOT_COLUMNS,
  SNAPSHOT_WIDTH,
  type SeenSchema,
} from "./seen-schema.js";

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
  bulk !== null &&
  options.dryRun !== true &&
  options.transaction !== false &&
  // Otherwise it waits for locks as long as its session does.
  options.timeoutMs === undefined;

const haveSameStatement = (one: BatchableWrite, other: BatchableWrite): boolean =>
  other.bulk?.sql === one.bulk?.sql && other.options.schema?.version === one.options.schema?.version;

const charactersOf = ({ bulk }: BatchableWrite): number =>
  bulk?.items.reduce((sum, item) => sum + item.length + 1, 0) ?? 0;

/** Of a WITH query, PostgreSQL runs only these to their end if nothing reads their rows. */
const CHANGING_VERBS: ReadonlySet<string> = new Set(["insert", "update", "delete"]);

/** The statement of a batch, which commits by itself. */
export interface BatchStatement extends BoundSql {
  readonly writes: readonly BulkStatement<unknown>[];
  readonly returnsRows: boolean;
  /** The only snapshot with which it changes rows; null if it does so with any. */
  readonly snapshot: string | null;
}

/** True if it has changed nothing because it had another snapshot than the one that it was made for. */
export const hasMissed = ({ snapshot }: BatchStatement, { rows }: TextResult): boolean =>
  snapshot !== null && rows[0]?.[0] !== snapshot;

/**
 * One statement for all writes of a batch. It fails under another schema than theirs, and if it would not return a row
 * for each item: then the text of a condition is cast to a boolean. A server locks the tables of a statement before it
 * takes the snapshot in which this looks at the schema, so that the schema stays the same.
 *
 * If no other transaction is likely to have come between, the statement does not look at the schema, which is most of its
 * time on the server. It compares the snapshot instead, and has no items under another one.
 *
 * @param fingerprint an SQL expression for the version of the schema
 * @param seen what is known of the schema
 * @throws InvalidSql for a statement of another kind than INSERT, UPDATE and DELETE
 */
export function batchStatement(
  jobs: readonly BatchableWrite[],
  fingerprint: string,
  seen: SeenSchema | undefined,
): BatchStatement {
  const writes = jobs.flatMap(({ bulk }) => bulk ?? []);
  const statement = singleStatement(writes[0]?.sql ?? "");
  if (!CHANGING_VERBS.has(statement.verb)) throw new InvalidSql("A bulk statement must change rows.");
  const { text, values: items } = bind(statement, [`[${writes.map((write) => write.items.join()).join()}]`]);
  const values = [...items];
  const parameter = (value: string): string => `$${values.push(value)}`;
  const version = jobs[0]?.options.schema?.version;
  const known = version !== undefined && seen?.version === version ? seen : null;
  const snapshot = known !== null && isLikely(known) ? known.snapshot : null;
  const isExpected = snapshot === null ? null : `${SNAPSHOT} = ${parameter(snapshot)}`;
  const conditions: string[] = [];
  const returnsRows = hasReturning(statement);
  if (returnsRows) {
    const count = parameter(String(countOf(writes)));
    const only = isExpected === null ? "" : `${isExpected} and `;
    conditions.push(`when ${only}(select count(*) from stored) <> ${count} then 'rows left out'`);
  }
  if (version !== undefined && isExpected === null) {
    conditions.push(schemaConditions(fingerprint, parameter(version), parameter(known?.snapshot ?? "")));
  }
  const checked = `cast(case ${conditions.join(" ")} else 'true' end as boolean)`;
  const rows = returnsRows ? ", stored.* from stored" : "";
  const where = conditions.length === 0 ? "" : ` where ${checked}`;
  const changing = isExpected === null ? text : withItemsIf(isExpected, statement);
  return {
    writes,
    returnsRows,
    snapshot,
    values,
    text: `with stored as (${changing}) select ${SNAPSHOT_COLUMNS}${rows}${where}`,
  };
}

/** The text of the statement, whose only parameter is an empty list unless the condition is true. */
const withItemsIf = (condition: string, { tokens }: Statement): string =>
  tokens
    .map(({ kind, text }) =>
      kind === "symbol" && text === "?" ? `(case when ${condition} then $1 else '[]' end)` : text,
    )
    .join("");

const hasReturning = ({ tokens }: Statement): boolean =>
  tokens.some(({ kind, text }) => kind === "word" && text.toLowerCase() === "returning");

const countOf = (writes: readonly BulkStatement<unknown>[]): number =>
  writes.reduce((sum, { items }) => sum + items.length, 0);

/** The rows that each write returns, as JSON objects. */
export function rowsOf(
  { writes, returnsRows }: BatchStatement,
  result: TextResult,
): readonly (readonly string[])[] {
  if (!returnsRows) return writes.map(() => []);
  const [columns, types] = [result.columns.slice(SNAPSHOT_WIDTH), result.types.slice(SNAPSHOT_WIDTH)];
  const writer = new RowWriter({ columns, types }, "objects", "null");
  const rows = result.rows.map((row) => writer.write(row.slice(SNAPSHOT_WIDTH)));
  // The server returns rows in the order in which it stored them.
  let start = 0;
  return writes.map(({ items }) => rows.slice(start, (start += items.length)));
}
