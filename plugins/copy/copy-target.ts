import type { Database, Table, Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";

/** What could not be carried, in words. */
export type Losses = string[];

/** The databases of a copy, and what could not be carried. */
export interface Sides {
  readonly from: Database;
  readonly to: Database;
  readonly losses: Losses;
}

export const triggerLoss = ({ name }: Table["triggers"][number]): string =>
  `the trigger ${name}: its statements are in the SQL of the source`;

/** The target of a copy, and the SQL of its source. */
export interface CopyTarget {
  readonly source: Dialect;
  readonly dialect: Dialect;
  readonly transaction: Transaction;
  readonly losses: Losses;
}

/** The error of a step; null if it succeeds. */
export const failureOf = (step: Promise<unknown>): Promise<unknown> =>
  step.then(
    () => null,
    (error: unknown) => error,
  );
