import type { Actor, Database, ListStatement, Schema, TrackedEvent, Transaction } from "rowhouse/plugin-api";
import type { Widened } from "./add-columns.js";
import type { WriteVisit } from "./authorize-write.js";
import type { TableTarget } from "./targets.js";
import { transact } from "./transact.js";

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
