import type { Database, Table, Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { isOutOfService } from "rowhouse/plugin-api/errors";

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

/**
 * Why the target refuses a step; null if it succeeds.
 *
 * @throws the error of a target that is out of service: a full disk says nothing about the statement
 */
export const failureOf = (step: Promise<unknown>): Promise<unknown> =>
  step.then(
    () => null,
    (error: unknown) => {
      if (isOutOfService(error)) throw error;
      return error;
    },
  );
