import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import type { TextResult } from "../connect/text-query.js";
import { RowWriter } from "../read/values.js";
import { bind, perStatement, singleStatement, type BoundSql, type Statement } from "../sql/statement.js";
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
 * One statement for all writes of a batch.
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
  const returnsRows = hasReturning(statement);
  const items = `[${writes.map((write) => write.items.join()).join()}]`;
  const count = returnsRows ? [String(countOf(writes))] : [];
  const version = jobs[0]?.options.schema?.version;
  const known = seen !== undefined && seen.version === version ? seen : null;
  if (known !== null && isLikely(known)) {
    const { snapshot } = known;
    return {
      writes,
      returnsRows,
      snapshot,
      text: textForSnapshot(statement),
      values: [items, snapshot, ...count],
    };
  }
  const schema = version === undefined ? null : { fingerprint, version, snapshot: known?.snapshot ?? "" };
  return { writes, returnsRows, snapshot: null, ...checkedStatement(statement, [items, ...count], schema) };
}

/**
 * Fails under another schema, and if it would not return a row for each item: then the text of a condition is cast to a
 * boolean. A server locks the tables of a statement before it takes the snapshot in which this looks at the schema, so
 * that the schema stays the same.
 */
function checkedStatement(
  statement: Statement,
  [items = "", ...count]: readonly string[],
  schema: { readonly fingerprint: string; readonly version: string; readonly snapshot: string } | null,
): BoundSql {
  const { text, values: bound } = bind(statement, [items]);
  const values = [...bound];
  const parameter = (value: string): string => `$${values.push(value)}`;
  const conditions = count.map((rows) => `when ${STORED} <> ${parameter(rows)} then 'rows left out'`);
  if (schema !== null) {
    const { fingerprint, version, snapshot } = schema;
    conditions.push(schemaConditions(fingerprint, parameter(version), parameter(snapshot)));
  }
  return { text: changing(text, { conditions, returnsRows: count.length > 0 }), values };
}

/**
 * The text of a statement that does not look at the schema, which is most of its time on the server. It compares its
 * snapshot instead, and has no items under another one. It takes the items, the snapshot, and the number of items if
 * it returns rows.
 */
const textForSnapshot = perStatement((statement) => {
  const isExpected = `${SNAPSHOT} = $2`;
  const items = `(case when ${isExpected} then $1 else '[]' end)`;
  const texts = statement.tokens.map(({ kind, text }) => (kind === "symbol" && text === "?" ? items : text));
  const returnsRows = hasReturning(statement);
  const conditions = returnsRows ? [`when ${isExpected} and ${STORED} <> $3 then 'rows left out'`] : [];
  return changing(texts.join(""), { conditions, returnsRows });
});

/** The number of stored rows. */
const STORED = "(select count(*) from stored)";

function changing(
  text: string,
  { conditions, returnsRows }: { readonly conditions: readonly string[]; readonly returnsRows: boolean },
): string {
  const rows = returnsRows ? ", stored.* from stored" : "";
  const where =
    conditions.length === 0 ? "" : ` where cast(case ${conditions.join(" ")} else 'true' end as boolean)`;
  return `with stored as (${text}) select ${SNAPSHOT_COLUMNS}${rows}${where}`;
}

const hasReturning = perStatement(({ tokens }) =>
  tokens.some(({ kind, text }) => kind === "word" && text.toLowerCase() === "returning"),
);

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
