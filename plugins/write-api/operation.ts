import { RowhouseError, WriteRejected } from "rowhouse/plugin-api";
import type {
  Actor,
  Database,
  ListStatement,
  Schema,
  TrackedEvent,
  Transaction,
  Reply,
} from "rowhouse/plugin-api";
import type { OnceOnly } from "./idempotency/idempotency-key.js";
import { answerOnce } from "./idempotency/idempotency-store.js";
import type { Widened } from "./rows/add-columns.js";
import type { WriteVisit } from "./target/authorize-write.js";
import { redactError } from "./target/redact-error.js";
import type { TableTarget } from "./target/table-target.js";

/** A write that was asked for, found allowed and well formed, and is ready to run. */
export interface WriteOperation {
  readonly database: Database;
  readonly table: string;
  /** Everything happens, and is then taken back. */
  readonly dryRun?: boolean;
  /** What it was made up for; any unless given. */
  readonly schema?: Schema | null;
  /** What `run` does as one statement over a list, where it is that. */
  readonly list?: ListStatement<Outcome> | null;
  /** @throws WriteRejected, RowNotFound, SqlFailed */
  run(transaction: Transaction): Promise<Outcome>;
  /** What plugins are told once it is committed. */
  events(outcome: Outcome): readonly TrackedEvent[];
}

export interface Outcome {
  /** Rows that were written. */
  readonly count: number;
  /** Rows as JSON, where somebody wants to see them. */
  readonly rows: readonly string[] | null;
  /** The table's schema before and after, where rows brought columns with them. */
  readonly widened?: Widened | null;
  /** The entity tag of the row, where the request told of one. */
  readonly version?: string | null;
}

/** Runs an operation as a transaction of its own, and tells plugins of it unless it was only tried. */
export async function perform(visit: WriteVisit, operation: WriteOperation): Promise<Outcome> {
  const outcome = await transact(visit, operation, (transaction) => operation.run(transaction));
  if (operation.dryRun !== true) await tell(visit, operation, outcome);
  return outcome;
}

/** Tells plugins what an operation did. */
export async function tell(
  { rowhouse }: WriteVisit,
  operation: WriteOperation,
  outcome: Outcome,
): Promise<void> {
  const events = rowhouse.serviceIfAny("events");
  for (const event of operation.events(outcome)) await events?.track(event);
}

/** What every event about a table tells. */
export const eventFacts = (
  { actor }: WriteVisit,
  { database, table }: TableTarget,
): {
  readonly actor: Actor | null;
  readonly created: Date;
  readonly database: string;
  readonly table: string;
} => ({ actor, created: new Date(), database: database.name, table: table.name });

/** What a transaction is about. */
export interface Writing<T> {
  readonly database: Database;
  /** Null where that is a table yet to be made, or several. */
  readonly table: string | null;
  /** Everything happens, and is then taken back. */
  readonly dryRun?: boolean;
  /** What the work was made up for; any unless given. @throws SchemaChanged */
  readonly schema?: Schema | null;
  /** What is to be done as one statement over a list, where it is that. */
  readonly list?: ListStatement<T> | null;
}

/**
 * Runs `work` as one transaction, with the code that plugins put around writes inside it. What goes wrong is told
 * without naming what is hidden from the actor.
 */
export async function transact<T>(
  visit: WriteVisit,
  { database, table, dryRun = false, schema = null, list = null }: Writing<T>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { rowhouse, request, actor } = visit;
  const facts = { database: database.name, table, request, actor };
  const around = (await rowhouse.serviceIfAny("events")?.around(facts)) ?? null;
  const write = (transaction: Transaction): Promise<T> =>
    around === null ? work(transaction) : around(() => work(transaction), transaction);
  try {
    return await database.write(write, { dryRun, schema, list: around === null ? list : null });
  } catch (error) {
    throw await redactError(visit, { database, tables: table === null ? [] : [table] }, error);
  }
}

/** Runs an operation as `perform` does, or only tells how it was answered before. */
export async function respond(
  visit: WriteVisit,
  operation: WriteOperation,
  { once, describe }: { readonly once: OnceOnly | null; describe(outcome: Outcome): Reply },
): Promise<Reply> {
  if (once === null) return describe(await perform(visit, operation));
  let outcome: Outcome | null = null;
  const { database, table, dryRun = false, schema = null } = operation;
  const { reply, isNew } = await transact(visit, { database, table, dryRun, schema }, (transaction) =>
    answerOnce(transaction, once, async () => {
      outcome = await operation.run(transaction);
      return describe(outcome);
    }),
  );
  if (isNew && outcome !== null) await tell(visit, operation, outcome);
  return reply;
}

/** A refusal with the place of the operation it is about in front; anything else as it is. */
export function asOperation(index: number, error: unknown): unknown {
  if (!(error instanceof RowhouseError) || error.status >= 500) return error;
  const messages = error instanceof WriteRejected ? error.errors : [error.message];
  return new WriteRejected(
    messages.map((message) => `Operation ${index}: ${message}`),
    error.status,
    error.headers,
  );
}
