import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { quoteText } from "rowhouse/plugin-api/sql";
import { hasReturning } from "../sql/returning.js";
import { singleStatement, statementOrNull, type Statement } from "../sql/statement.js";
import type { Token } from "../sql/tokens.js";
import type { WriteTransaction } from "./transaction.js";

/** The part of a queued write that decides which writes it can share a statement with. */
interface BatchableWrite {
  readonly options: Pick<WriteOptions, "schema">;
  readonly bulk: BulkStatement<unknown> | null;
}

/** Characters of all items of a batch. It bounds the memory, and how long the writes behind the batch wait. */
const MAX_BATCH_CHARACTERS = 1_000_000;
/** Characters of items inside the text of a statement. SQLite binds a parameter faster than it parses a longer text. */
const MAX_INLINE_CHARACTERS = 100_000;

/** Takes the writes from the front of `waiting` that can share a statement with `first`. @returns all, in order */
export function takeBatch<Job extends BatchableWrite>(
  first: Job,
  waiting: Job[],
  maxWrites: number,
): readonly Job[] {
  const jobs = [first];
  let characters = charactersOf(first);
  for (let next = waiting[0]; next !== undefined && jobs.length < maxWrites; next = waiting[0]) {
    characters += charactersOf(next);
    if (!haveSameStatement(first, next) || characters > MAX_BATCH_CHARACTERS) break;
    jobs.push(next);
    waiting.shift();
  }
  return jobs;
}

const haveSameStatement = (one: BatchableWrite, other: BatchableWrite): boolean =>
  other.bulk !== null &&
  other.bulk.sql === one.bulk?.sql &&
  other.options.schema?.version === one.options.schema?.version;

const charactersOf = ({ bulk }: BatchableWrite): number =>
  bulk?.items.reduce((sum, item) => sum + item.length + 1, 0) ?? 0;

/**
 * The parameter of a bulk statement that can be committed in one call of the driver; null for other statements. With
 * RETURNING it cannot: such a call brings no rows.
 */
export function bulkParameter({ sql }: BulkStatement<unknown>): Token | null {
  const statement = statementOrNull(sql);
  if (statement === null) return null;
  const cached = bulkParameters.get(statement);
  if (cached !== undefined) return cached;
  const parameter = findParameter(statement);
  bulkParameters.set(statement, parameter);
  return parameter;
}

const bulkParameters = new WeakMap<Statement, Token | null>();

function findParameter(statement: Statement): Token | null {
  if (statement.verb !== "insert" || hasReturning(statement)) return null;
  const [parameter, ...others] = statement.tokens.filter(({ kind }) => kind === "parameter");
  return parameter?.text === "?" && others.length === 0 ? parameter : null;
}

/**
 * The SQL of a whole transaction, from BEGIN to COMMIT, that stores bulk writes with the same statement; null if it
 * would be too long.
 *
 * @param schemaNumber the number of the schema for which the writes were prepared; null for any schema
 */
export function transactionSql(
  writes: readonly BulkStatement<unknown>[],
  schemaNumber: number | null,
): string | null {
  const [first] = writes;
  const parameter = first === undefined ? null : bulkParameter(first);
  const items = jsonArray(writes);
  if (first === undefined || parameter === null || items.length > MAX_INLINE_CHARACTERS) return null;
  const { sql } = singleStatement(first.sql);
  const insert = `${sql.slice(0, parameter.start)}${quoteText(items)}${sql.slice(parameter.end)}`;
  const check = schemaNumber === null ? "" : `${requireSchemaSql(schemaNumber)}; `;
  return `begin immediate; ${check}${insert}; commit`;
}

/** A statement that fails under any other schema, because `json` rejects text that is not JSON. */
const requireSchemaSql = (schemaNumber: number): string =>
  `select json(iif(schema_version = ${schemaNumber}, '0', 'another schema')) from pragma_schema_version`;

/**
 * Runs bulk writes with the same statement as one statement.
 *
 * @returns the result of each
 * @throws SqlFailed, also if the returned rows cannot be assigned to their writes; the caller must roll back then
 */
export async function runBatch(
  transaction: WriteTransaction,
  writes: readonly BulkStatement<unknown>[],
): Promise<readonly unknown[]> {
  const sql = writes[0]?.sql ?? "";
  const params = [jsonArray(writes)];
  if (!hasReturning(singleStatement(sql))) {
    await transaction.run(sql, params);
    return writes.map((write) => write.result([]));
  }
  const { rows } = await transaction.allJson(sql, params, { shape: "objects" });
  const count = writes.reduce((sum, { items }) => sum + items.length, 0);
  if (rows.length !== count) throw new SqlFailed("Rows were left out", "other");
  // SQLite returns rows in the order in which it stored them.
  let start = 0;
  return writes.map((write) => write.result(rows.slice(start, (start += write.items.length))));
}

const jsonArray = (writes: readonly BulkStatement<unknown>[]): string =>
  `[${writes.map(({ items }) => items.join()).join()}]`;
