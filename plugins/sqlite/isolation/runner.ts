import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import { retryWhileBusy, type Limits } from "../open/time-limit.js";
import { runQuery, withAllowlist, type Reader } from "../read/run-query.js";
import type { Query } from "../read/query.js";
import { ROW_SEPARATOR, type RowFormat } from "../read/row-text.js";
import { toWireJson, type JsonBytes } from "../read/wire-json.js";
import { singleStatement } from "../sql/statement.js";
import { openStream, type RowBatch, type RowStream } from "../read/stream.js";
import { Cancellation } from "./cancellation.js";
import {
  receivedParams,
  type Command,
  type OrderedCommand,
  type Reply,
  type SentPlan,
  type SentQuery,
} from "./messages.js";
import { openSource } from "./open-source.js";
import { ReusedTimer } from "./reused-timer.js";
import { describeError } from "./sent-errors.js";

const REPORT_EVERY_MS = 20;
/** A stream that is released runs without a command. */
const NO_COMMAND = -1;

type Send = (reply: Reply, body?: Uint8Array) => void;

export interface RunnerOptions {
  readonly send: Send;
  /** Resolves when what was sent has left the process; null when it has already. */
  readonly drained: () => Promise<unknown> | null;
}

/** True for a command that can be sent to another process. */
const isRead = ({ type }: OrderedCommand): boolean => type === "read";

/** What a process does with each command: one after another, in the order in which they came. */
export class Runner {
  readonly #sources = new Map<string, Promise<Reader>>();
  readonly #queue: OrderedCommand[] = [];
  readonly #send: Send;
  /** The command that is carried out. */
  #current: OrderedCommand | null = null;
  #beganCpu = process.cpuUsage();
  /** Of the current operation: a command may take several. */
  #operationBeganMs = 0;
  #reportedMs = 0;
  #reporter: NodeJS.Timeout | undefined;
  /** Of a read, for all its operations together. */
  readonly #deadline = new ReusedTimer();
  #isLate = false;
  /** Of the statement or stream that was begun last. */
  #cancellation = new Cancellation();
  #stream: RowStream | null = null;
  #streamed: RowFormat = { kind: "cells" };
  /** What the stream reads, and whether it is to be closed after that. */
  #streamedSource: string | null = null;
  #closesAfterStream = false;

  constructor(private readonly options: RunnerOptions) {
    this.#send = options.send;
  }

  accept(command: Command): void {
    switch (command.type) {
      case "cancel":
        return this.#cancel(command.id);
      case "recall":
        return this.#send({ type: "returned", ids: this.#takeQueue().map(({ id }) => id) });
      case "release":
        return void this.#release();
      default:
        this.#queue.push(command);
        if (this.#current === null) void this.#work();
    }
  }

  async #work(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#current = next;
      this.#beganCpu = process.cpuUsage();
      this.#operationBeganMs = performance.now();
      this.#reporter ??= setInterval(this.#report, REPORT_EVERY_MS);
      try {
        await this.#carryOut(next);
      } catch (error) {
        this.#send({ type: "failed", id: next.id, error: describeError(this.#asLate(error)) });
      } finally {
        this.#deadline.stop();
      }
      // Results that the server has not taken are memory of this process, for which the next statement would be killed.
      const draining = this.options.drained();
      if (draining !== null) await draining;
    }
    this.#current = null;
  }

  #cancel(id: number): void {
    if (this.#current?.id === id) return this.#cancellation.abort();
    const at = this.#queue.findIndex((command) => command.id === id);
    if (at === -1) return;
    this.#queue.splice(at, 1);
    this.#send({ type: "failed", id, error: describeError(new QueryInterrupted()) });
  }

  /** Removes the commands that can be sent to another process. */
  #takeQueue(): readonly OrderedCommand[] {
    const taken = this.#queue.filter(isRead);
    this.#queue.splice(0, Infinity, ...this.#queue.filter((command) => !isRead(command)));
    return taken;
  }

  #carryOut(command: OrderedCommand): Promise<void> {
    switch (command.type) {
      case "open":
        return this.#open(command.id, command.source, command.plan);
      case "close":
        return this.#close(command.source);
      case "read":
        return this.#read(command.id, command.source, command.query);
      case "stream":
        return this.#openStream(command.id, command.source, command.query, command.batchSize);
      case "next":
        return this.#next(command.id);
      case "stop":
        return this.#stop(command.id);
    }
  }

  async #open(id: number, source: string, plan: SentPlan): Promise<void> {
    await this.#close(source);
    const opening = openSource(plan);
    this.#sources.set(source, opening);
    try {
      await opening;
    } catch (error) {
      this.#sources.delete(source);
      throw error;
    }
    this.#send({ type: "done", id });
  }

  async #close(source: string): Promise<void> {
    if (source === this.#streamedSource) {
      this.#closesAfterStream = true;
      return;
    }
    const reader = this.#sources.get(source);
    this.#sources.delete(source);
    await reader?.then(({ connection }) => connection.close()).catch(() => undefined);
  }

  #reader(source: string): Promise<Reader> {
    this.#cancellation = new Cancellation();
    this.#isLate = false;
    return this.#sources.get(source) ?? Promise.reject(new Error(`${source} is not open`));
  }

  async #read(id: number, source: string, sent: SentQuery): Promise<void> {
    const reader = await this.#reader(source);
    const { columns, body } = await this.#untilUnlocked(sent.lockWaitMs, () => {
      this.#deadline.set(sent.timeLimitMs, this.#late);
      const query = queryOf(sent, this.#limits());
      return withAllowlist(reader.connection, query, (allowed) => answerIn(reader, allowed));
    });
    this.#send({ type: "rows", id, columns, tookMs: this.#tookMs() }, body);
  }

  async #openStream(id: number, source: string, sent: SentQuery, batchSize: number): Promise<void> {
    const reader = await this.#reader(source);
    this.#streamedSource = source;
    this.#streamed = sent.format;
    this.#stream = await this.#untilUnlocked(sent.lockWaitMs, () => {
      const query = queryOf(sent, { ...this.#limits(), timeLimitMs: sent.timeLimitMs });
      // The first step keeps the snapshot: the transaction around it may end while the statement runs on.
      return withAllowlist(reader.connection, query, (allowed) => openStream(reader, allowed, batchSize));
    });
    return this.#next(id);
  }

  /** Each attempt has the time limit for itself. */
  #untilUnlocked<T>(lockWaitMs: number, attempt: () => Promise<T>): Promise<T> {
    return retryWhileBusy(performance.now() + lockWaitMs, () => {
      this.#operationBeganMs = performance.now();
      return attempt();
    });
  }

  async #next(id: number): Promise<void> {
    const step = await this.#stream?.batches.next();
    if (step === undefined || step.done === true) {
      await this.#endStream();
      return this.#send({ type: "end", id });
    }
    const { columns } = step.value;
    this.#send({ type: "rows", id, columns, tookMs: this.#tookMs() }, batchBytes(step.value, this.#streamed));
  }

  async #stop(id: number): Promise<void> {
    try {
      await this.#endStream();
    } finally {
      const [source, closes] = [this.#streamedSource, this.#closesAfterStream];
      this.#streamedSource = null;
      this.#closesAfterStream = false;
      if (source !== null && closes) await this.#close(source);
    }
    this.#send({ type: "done", id });
  }

  async #endStream(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    await stream?.batches.return(undefined);
  }

  async #release(): Promise<void> {
    await this.#stream?.release().catch(() => undefined);
    this.#send({ type: "released" });
  }

  /** Processor time: how long a statement waits for a processor says nothing about the next one. */
  #tookMs(): number {
    const { user, system } = process.cpuUsage(this.#beganCpu);
    return (user + system) / 1000;
  }

  #late = (): void => {
    this.#isLate = true;
    this.#cancellation.abort();
  };

  /** What a cancelled statement says about a caller that left is wrong if it was cancelled at its deadline. */
  #asLate = (error: unknown): unknown =>
    this.#isLate && error instanceof QueryInterrupted ? new QueryInterrupted() : error;

  #limits = (): Limits => ({
    signal: this.#cancellation,
    onStart: () => void (this.#operationBeganMs = performance.now()),
  });

  /** Reports the beginning of each long operation: its time limit counts from then. */
  #report = (): void => {
    if (this.#current === null && this.#stream === null) {
      clearInterval(this.#reporter);
      this.#reporter = undefined;
      return;
    }
    if (this.#reportedMs === this.#operationBeganMs) return;
    this.#reportedMs = this.#operationBeganMs;
    const elapsedMs = performance.now() - this.#operationBeganMs;
    this.#send({ type: "running", id: this.#current?.id ?? NO_COMMAND, elapsedMs });
  };
}

const queryOf = (
  { sql, params, maxRows, maxCells, columns, allowlist, format }: SentQuery,
  limits: Limits,
): Query => ({
  statement: singleStatement(sql),
  params: receivedParams(params),
  limits,
  maxRows,
  maxCells,
  columns,
  allowlist,
  format,
});

interface SentRows {
  readonly columns: readonly string[];
  readonly body: Buffer;
}

async function answerIn(reader: Reader, query: Query): Promise<SentRows> {
  const { columns, texts } = await runQuery(reader, query);
  const [only = ""] = texts;
  return { columns, body: textBytes(texts.length < 2 ? only : texts.join(ROW_SEPARATOR), query.format) };
}

const batchBytes = ({ rows }: RowBatch, format: RowFormat): Buffer =>
  textBytes(rows.join(ROW_SEPARATOR), format);

/** Finished JSON is plain ASCII, which the server need not decode. */
const textBytes = (text: string | JsonBytes, format: RowFormat): Buffer =>
  format.kind === "json" ? Buffer.from(toWireJson(text, format.infinity), "latin1") : Buffer.from(text);
