import { channel } from "node:diagnostics_channel";
import type { SqlParams } from "../engine/values.js";

/** A channel of `node:diagnostics_channel` with the type of its messages. All servers of a process share it. */
export interface TraceChannel<Trace> {
  /** False if no listener would receive a message, so that it need not be made. */
  readonly hasSubscribers: boolean;
  publish(trace: Trace): void;
  subscribe(listener: (trace: Trace) => void): void;
  unsubscribe(listener: (trace: Trace) => void): void;
}

/** A statement that was run. Engines publish it in the asynchronous context of the caller. */
export interface SqlTrace {
  readonly database: string;
  readonly sql: string;
  readonly params: SqlParams;
  /** Absent for statements of engines that do not publish it: they count as untrusted. */
  readonly trust?: "trusted" | "untrusted";
  /** Milliseconds of `performance.now()`. */
  readonly startedMs: number;
  readonly endedMs: number;
}

/** A commit. */
export interface CommitTrace {
  readonly database: string;
  /** The number of writes that shared the commit. */
  readonly writes: number;
  /** From the start of its transaction until it was on disk. */
  readonly ms: number;
}

/** A process for untrusted SQL that was started or has ended. */
export interface SqlProcessTrace {
  readonly state: "started" | "ended";
}

/** The statements of all engines: the channel `rowhouse:sql`. */
export const sqlTraces = channel("rowhouse:sql") as TraceChannel<SqlTrace>;

/** The commits of all engines: the channel `rowhouse:commit`. */
export const commitTraces = channel("rowhouse:commit") as TraceChannel<CommitTrace>;

/** The processes for untrusted SQL: the channel `rowhouse:sql-process`. */
export const sqlProcessTraces = channel("rowhouse:sql-process") as TraceChannel<SqlProcessTrace>;
