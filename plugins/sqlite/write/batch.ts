import { quoteText, SqlFailed, type BulkStatement, type WriteOptions } from "rowhouse/plugin-api";
import { hasReturning } from "../sql/returning.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import type { Token } from "../sql/tokenizer.js";
import type { WriteTransaction } from "./transaction.js";

/** A write as it waits in a queue. */
interface Waiting {
  readonly options: Pick<WriteOptions, "schema">;
  /** What may be done instead of running its work; null where only that will do. */
  readonly bulk: BulkStatement<unknown> | null;
}

// What goes to SQLite as one text, so that neither memory nor the others in the queue suffer.
const MOST_CHARACTERS = 1_000_000;
const MOST_IN_TEXT = 100_000;

/** Takes off the front of `waiting` whoever says the same as `first`. @returns both, in order */
export function takeBatch<Job extends Waiting>(first: Job, waiting: Job[], atMost: number): readonly Job[] {
  const jobs = [first];
  let characters = lengthOf(first);
  for (let next = waiting[0]; next !== undefined && jobs.length < atMost; next = waiting[0]) {
    characters += lengthOf(next);
    if (!isAlike(first, next) || characters > MOST_CHARACTERS) break;
    jobs.push(next);
    waiting.shift();
  }
  return jobs;
}

const isAlike = (one: Waiting, other: Waiting): boolean =>
  other.bulk !== null &&
  other.bulk.sql === one.bulk?.sql &&
  other.options.schema?.version === one.options.schema?.version;

const lengthOf = ({ bulk }: Waiting): number =>
  bulk?.items.reduce((sum, item) => sum + item.length + 1, 0) ?? 0;

/**
 * Where the list stands in a statement that may be a whole transaction; null where rows come back, which no such text
 * brings, and for what is no statement.
 */
export function bulkParameter({ sql }: BulkStatement<unknown>): Token | null {
  const statement = statementIn(sql);
  if (statement === null) return null;
  const known = places.get(statement);
  if (known !== undefined) return known;
  const place = findPlace(statement);
  places.set(statement, place);
  return place;
}

const places = new WeakMap<Statement, Token | null>();

function statementIn(sql: string): Statement | null {
  try {
    return singleStatement(sql);
  } catch {
    return null;
  }
}

function findPlace(statement: Statement): Token | null {
  if (statement.verb !== "insert" || hasReturning(statement)) return null;
  const [place, ...others] = statement.tokens.filter(({ kind }) => kind === "parameter");
  return place?.text === "?" && others.length === 0 ? place : null;
}

/**
 * Lists that say the same, and have a place as `placeOfList` tells, as a whole transaction in one text; null where it
 * would be long: to read SQL takes longer than to read a parameter.
 *
 * @param schema the number that SQLite must count the schema by; null for any
 */
export function wholeTransaction(
  lists: readonly BulkStatement<unknown>[],
  schema: number | null,
): string | null {
  const [first] = lists;
  const place = first === undefined ? null : bulkParameter(first);
  const items = together(lists);
  if (first === undefined || place === null || items.length > MOST_IN_TEXT) return null;
  const { sql } = singleStatement(first.sql);
  const insert = `${sql.slice(0, place.start)}${quoteText(items)}${sql.slice(place.end)}`;
  return `begin immediate; ${schema === null ? "" : `${failUnder(schema)}; `}${insert}; commit`;
}

/** A statement that fails under any other schema: that is no JSON. */
const failUnder = (schema: number): string =>
  `select json(iif(schema_version = ${schema}, '0', 'another schema')) from pragma_schema_version`;

/**
 * Runs lists that say the same as one statement.
 *
 * @returns the result of each
 * @throws SqlFailed, also when which rows belong to whom can't be told; what was done must be taken back then
 */
export async function runBatch(
  transaction: WriteTransaction,
  lists: readonly BulkStatement<unknown>[],
): Promise<readonly unknown[]> {
  const sql = lists[0]?.sql ?? "";
  const params = [together(lists)];
  if (!hasReturning(singleStatement(sql))) {
    await transaction.run(sql, params);
    return lists.map((list) => list.result([]));
  }
  const { rows } = await transaction.allJson(sql, params, { shape: "objects" });
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  if (rows.length !== count) throw new SqlFailed("Rows were left out", "other");
  // SQLite returns rows in the order in which it stored them.
  let at = 0;
  return lists.map((list) => list.result(rows.slice(at, (at += list.items.length))));
}

const together = (lists: readonly BulkStatement<unknown>[]): string =>
  `[${lists.map(({ items }) => items.join()).join()}]`;
