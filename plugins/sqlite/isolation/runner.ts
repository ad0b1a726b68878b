import { ColumnCache } from "../read/columns.js";
import { withAllowlist } from "../read/allowlist.js";
import type { Connection } from "../open/connection.js";
import { MAX_LENGTH, openReader } from "../open/open-connection.js";
import { retryWhileBusy, type Limits } from "../open/time-limit.js";
import { readExplainOrPragma, runQuery, type Reader } from "../read/run-query.js";
import type { Query } from "../read/query.js";
import { cellsForm, jsonForm, ROW_SEPARATOR, type RowFormat, toWireJson } from "../read/row-text.js";
import { singleStatement } from "../sql/statement.js";
import { openStream, type RowBatch, type RowStream } from "../read/stream.js";
import {
  receivedParams,
  replay,
  type Command,
  type Reply,
  type SentPlan,
  type SentQuestion,
} from "./messages.js";
import { describeError } from "./sent-errors.js";

// SQLite can't be interrupted while it waits for a lock, and the server kills what can't be interrupted.
const BUSY_TIMEOUT_MS = 20;
const ALIVE_EVERY_MS = 40;

type Send = (reply: Reply, body?: Uint8Array) => void;

/** What a process does with each command. It has one statement, or one stream, at a time. */
export class Runner {
  readonly #sources = new Map<string, Promise<Reader>>();
  #caller = new AbortController();
  #stream: RowStream | null = null;
  #streamed: RowFormat = { kind: "cells" };
  #lastSentMs = 0;
  /** What is read now, and whether it is to be closed after that. */
  #inUse: string | null = null;
  #closesAfterUse = false;

  constructor(private readonly send: Send) {}

  accept(command: Command): void {
    if (command.type === "cancel") return this.#caller.abort();
    if (command.type === "close") return void this.#close(command.source);
    this.#lastSentMs = performance.now();
    this.#carryOut(command).catch((error: unknown) => {
      this.send({ type: "failed", error: describeError(error) });
    });
  }

  async #carryOut(command: Exclude<Command, { type: "cancel" | "close" }>): Promise<void> {
    switch (command.type) {
      case "open":
        return this.#open(command.source, command.plan);
      case "read":
        await this.#read(await this.#use(command.source), command.question).finally(() => this.#endUse());
        return;
      case "stream":
        await this.#openStream(await this.#use(command.source), command.question, command.batchSize);
        return this.#next();
      case "next":
        return this.#next();
      case "stop":
        await this.#stop().finally(() => this.#endUse());
        return this.send({ type: "done" });
      case "release":
        await this.#stream?.release();
        return this.send({ type: "released" });
    }
  }

  async #open(source: string, plan: SentPlan): Promise<void> {
    await this.#close(source);
    const opening = openSource(plan);
    this.#sources.set(source, opening);
    try {
      await opening;
    } catch (error) {
      this.#sources.delete(source);
      throw error;
    }
    this.send({ type: "done" });
  }

  async #close(source: string): Promise<void> {
    if (source === this.#inUse) {
      this.#closesAfterUse = true;
      return;
    }
    const reader = this.#sources.get(source);
    this.#sources.delete(source);
    await reader?.then(({ connection }) => connection.close()).catch(() => undefined);
  }

  #use(source: string): Promise<Reader> {
    this.#caller = new AbortController();
    this.#inUse = source;
    return this.#sources.get(source) ?? Promise.reject(new Error(`${source} is not open`));
  }

  async #endUse(): Promise<void> {
    const [source, closes] = [this.#inUse, this.#closesAfterUse];
    this.#inUse = null;
    this.#closesAfterUse = false;
    if (source !== null && closes) await this.#close(source);
  }

  async #read(reader: Reader, sent: SentQuestion): Promise<void> {
    const { wanted, lockWaitMs } = sent;
    const { columns, body } = await retryWhileBusy(performance.now() + lockWaitMs, async () => {
      const deadlineMs = performance.now() + sent.timeLimitMs;
      const question = questionOf(sent, { ...this.#limits(), deadlineMs });
      return withAllowlist(reader.connection, question, (allowed) => answerIn(reader, allowed, wanted));
    });
    this.send({ type: "rows", columns }, body);
  }

  async #openStream(reader: Reader, sent: SentQuestion, batchSize: number): Promise<void> {
    this.#streamed = sent.wanted;
    this.#stream = await retryWhileBusy(performance.now() + sent.lockWaitMs, () => {
      const question = questionOf(sent, { ...this.#limits(), timeLimitMs: sent.timeLimitMs });
      // The first step keeps the snapshot: the transaction around it may end while the statement runs on.
      return withAllowlist(reader.connection, question, (allowed) => openStream(reader, allowed, batchSize));
    });
  }

  async #next(): Promise<void> {
    const step = await this.#stream?.batches.next();
    if (step === undefined || step.done === true) {
      await this.#stop();
      return this.send({ type: "end" });
    }
    this.send({ type: "rows", columns: step.value.columns }, batchBytes(step.value, this.#streamed));
  }

  async #stop(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    await stream?.batches.return(undefined);
  }

  /** The server counts the time of each operation from its beginning, and so has to know of it. */
  #limits = (): Limits => ({
    signal: this.#caller.signal,
    onStart: () => {
      const now = performance.now();
      if (now - this.#lastSentMs < ALIVE_EVERY_MS) return;
      this.#lastSentMs = now;
      this.send({ type: "alive" });
    },
  });
}

async function openSource({ operations, ...plan }: SentPlan): Promise<Reader> {
  const connection = await openReader({
    ...plan,
    prepare: (prepared) => replay(prepared, operations),
  });
  connection.busyTimeout(BUSY_TIMEOUT_MS);
  connection.limitLength(MAX_LENGTH.untrusted);
  return {
    connection,
    columns: new ColumnCache(),
    maySplitResult: false,
    maxLengthBytes: MAX_LENGTH.untrusted,
  };
}

const questionOf = (
  { sql, params, maxRows, maxCells, columns, allowlist, wanted }: SentQuestion,
  limits: Limits,
): Query => ({
  statement: singleStatement(sql),
  params: receivedParams(params),
  limits,
  maxRows,
  maxCells,
  columns,
  allowlist,
  form: wanted.kind === "json" ? jsonForm(wanted.shape) : cellsForm,
});

interface SentRows {
  readonly columns: readonly string[];
  readonly body: Buffer;
}

async function answerIn(reader: Reader, question: Query, wanted: RowFormat): Promise<SentRows> {
  if (wanted.kind === "raw") return rawRows(reader.connection, question);
  const { columns, texts } = await runQuery(reader, question);
  return { columns, body: textBytes(texts.join(ROW_SEPARATOR), wanted) };
}

async function rawRows(connection: Connection, { statement, params, limits }: Query): Promise<SentRows> {
  const { columns, rows } = await readExplainOrPragma(connection, statement, params, limits);
  return { columns, body: Buffer.from(rows.map((row) => JSON.stringify(row)).join(ROW_SEPARATOR)) };
}

const batchBytes = ({ rows }: RowBatch, wanted: RowFormat): Buffer =>
  textBytes(rows.join(ROW_SEPARATOR), wanted);

/** Finished JSON is plain ASCII, which the server need not decode. */
const textBytes = (text: string, wanted: RowFormat): Buffer =>
  wanted.kind === "json" ? Buffer.from(toWireJson(text, wanted.infinity), "latin1") : Buffer.from(text);
