import {
  RowhouseError,
  WriteRejected,
  type Actor,
  type Database,
  type Reply,
  type Schema,
  type SqlValue,
  type Transaction,
} from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import type { BulkStatement } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { RawJson } from "rowhouse/plugin-api/json";
import {
  digestOf,
  readIdempotencyKey,
  replyOnce,
  type IdempotentRequest,
} from "./idempotency/idempotency-store.js";
import { redactError } from "./target/redact-error.js";
import type { WriteContext } from "./target/write-access.js";

interface WriteTransaction<T> {
  readonly database: Database;
  /** Null for several tables. */
  readonly table: string | null;
  /** Rolls the transaction back at the end. */
  readonly dryRun?: boolean;
  /** The schema that the write was prepared for. It fails with SchemaChanged under any other; null accepts any. */
  readonly schema: Schema | null;
  /** The same work as one statement over a list of items, which can share a batch with other writes. */
  readonly bulk?: BulkStatement<T> | null;
}

/** A write that is authorized, validated and ready to run. */
export interface WriteOperation extends WriteTransaction<Outcome> {
  /** @throws WriteRejected, RowNotFound, SqlFailed */
  run(transaction: Transaction): Promise<Outcome>;
  /** The events to track after the commit. */
  events(outcome: Outcome): readonly TrackedEvent[];
}

/** A table's schema before and after columns were added. */
export interface SchemaChange {
  readonly before: string;
  readonly after: string;
}

export interface Outcome {
  /** Rows that were written. */
  readonly count: number;
  /** The written rows as JSON; null if the request did not ask for them. */
  readonly rows: readonly string[] | null;
  /** The table's schema before and after, if columns were added. */
  readonly schemaChange?: SchemaChange | null;
  /** The list of the keys of the inserted rows, if the request wants it. */
  readonly keys?: RawJson;
  /** The entity tag of the row, if the request sent `If-Match`. */
  readonly version?: string | null;
  /** The addresses of the written rows, where the statement returned them. */
  readonly addresses?: readonly (readonly SqlValue[])[];
}

/** Runs an operation in its own transaction and tracks its events, unless it is a dry run. */
export async function runOperation(visit: WriteContext, operation: WriteOperation): Promise<Outcome> {
  const outcome = await runTransaction(visit, operation, (transaction) => operation.run(transaction));
  if (operation.dryRun !== true) await trackEvents(visit, operation, outcome);
  return outcome;
}

/** Tracks the events of a committed operation. */
export async function trackEvents(
  { rowhouse }: WriteContext,
  operation: WriteOperation,
  outcome: Outcome,
): Promise<void> {
  const events = rowhouse.serviceIfAny("events");
  for (const event of operation.events(outcome)) await events?.track(event);
}

/** The members that every event about a table has. */
export const eventFacts = (
  { actor }: WriteContext,
  { database, table }: TableTarget,
): {
  readonly actor: Actor | null;
  readonly created: Date;
  readonly database: string;
  readonly table: string;
} => ({ actor, created: new Date(), database: database.name, table: table.name });

/** The event for added columns, if there are any. */
export function schemaChangeEvents(
  visit: WriteContext,
  target: TableTarget,
  widened: SchemaChange | null | undefined,
): readonly TrackedEvent[] {
  if (widened === null || widened === undefined) return [];
  const { before, after } = widened;
  return [{ name: "alter-table", ...eventFacts(visit, target), before_schema: before, after_schema: after }];
}

/**
 * Runs `work` in one transaction, inside the write wrappers of plugins. Errors are redacted: they name nothing that is
 * hidden from the actor.
 */
export async function runTransaction<T>(
  visit: WriteContext,
  { database, table, dryRun = false, schema, bulk = null }: WriteTransaction<T>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { rowhouse, request, actor } = visit;
  const facts = { database: database.name, table, request, actor };
  const wrapper = (await rowhouse.serviceIfAny("events")?.around(facts)) ?? null;
  const write = (transaction: Transaction): Promise<T> =>
    wrapper === null ? work(transaction) : wrapper(() => work(transaction), transaction);
  try {
    // The functions of wrappers may have effects outside of the transaction.
    const ownWork = wrapper === null ? { bulk, repeatable: true } : {};
    return await database.write(write, { dryRun, schema, ...ownWork });
  } catch (error) {
    throw await redactError(visit, { database, tables: table === null ? [] : [table] }, error);
  }
}

/** Reads the header `Idempotency-Key` of a request whose body is in memory. @throws WriteRejected, PayloadTooLarge */
export async function readIdempotencyKeyWithBody(visit: WriteContext): Promise<IdempotentRequest | null> {
  if (visit.request.headers["idempotency-key"] === undefined) return null;
  return readIdempotencyKey(visit, digestOf(await visit.request.body()));
}

/** Runs an operation, or returns the stored reply if its Idempotency-Key has been used before. */
export async function runIdempotently(
  visit: WriteContext,
  operation: WriteOperation,
  { once, describe }: { readonly once: IdempotentRequest | null; describe(outcome: Outcome): Reply },
): Promise<Reply> {
  if (once === null) return describe(await runOperation(visit, operation));
  let outcome: Outcome | null = null;
  const { database, table, dryRun = false, schema } = operation;
  const { reply, isNew } = await runTransaction(visit, { database, table, dryRun, schema }, (transaction) =>
    replyOnce(database.dialect, transaction, once, async () => {
      outcome = await operation.run(transaction);
      return describe(outcome);
    }),
  );
  if (isNew && outcome !== null) await trackEvents(visit, operation, outcome);
  return reply;
}

/** Prefixes the messages of a client error with the index of the operation; other errors are returned unchanged. */
export function withOperationIndex(index: number, error: unknown): unknown {
  if (!(error instanceof RowhouseError) || error.status >= 500) return error;
  // The kind of the error decides what is redacted.
  if (error instanceof SqlFailed)
    return new SqlFailed(`Operation ${index}: ${error.message}`, error.kind, { cause: error });
  const messages = error instanceof WriteRejected ? error.errors : [error.message];
  const rejected = new WriteRejected(
    messages.map((message) => `Operation ${index}: ${message}`),
    error.status,
    error.headers,
  );
  // The setting conceal_missing applies to names in operations, too.
  return Object.assign(rejected, { cause: error });
}
