import type { BulkStatement, Transaction, WriteOptions } from "rowhouse/plugin-api";

/** A write that waits for its turn or has it. */
export interface WriteJob {
  readonly options: WriteOptions;
  /** When its patience with other processes' locks ends, in `performance.now()` time. */
  readonly deadline: number;
  readonly work: (transaction: Transaction) => Promise<unknown>;
  /** What may be done instead; null from when that has failed. */
  bulk: BulkStatement<unknown> | null;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  running: boolean;
}

/** Tells all of them why nothing was written. */
export function refuse(jobs: readonly WriteJob[], error: Error): void {
  for (const job of jobs) job.reject(error);
}
