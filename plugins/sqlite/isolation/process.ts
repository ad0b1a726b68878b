import { LRUCache } from "lru-cache";
import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { DatabaseUnavailable, QueryInterrupted, SqlFailed } from "rowhouse/plugin-api";
import { childEnvironment } from "./environment.js";
import { FrameReader, type Frame } from "./frames.js";
import { decodeReply, encodeCommand, type Command, type Reply, type SentPlan } from "./messages.js";
import { residentBytes } from "./resident-memory.js";
import { restoreError } from "./sent-errors.js";
import { Watchdog } from "./watchdog.js";

const PROGRAM = fileURLToPath(new URL("./child.js", import.meta.url));
const PIPE = 3;
/** Time to start, and to open a database: extensions may be slow to load. */
const START_LIMIT_MS = 10_000;
/** Databases that one process keeps open. */
const OPEN_SOURCES = 8;
const STDERR_CHARACTERS = 2_000;

/** A reply with the bytes that came with it. */
export interface Answered {
  readonly reply: Reply;
  readonly body: Buffer;
}

/** When the caller of a command stops waiting. */
export interface AskLimits {
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the caller is told when the time limit is over; by default that the query took too long. */
  readonly late?: () => Error;
}

interface Pending {
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
  readonly late: () => Error;
}

export interface SqlProcessOptions {
  /** Beyond this the process is killed. */
  readonly memoryBytes: number;
}

/** One process that runs untrusted SQL, as the server sees it: it answers one command at a time, in time, or is killed. */
export class SqlProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #channel: Socket | null;
  readonly #frames = new FrameReader();
  readonly #watchdog: Watchdog;
  readonly #sources = new LRUCache<string, string>({
    max: OPEN_SOURCES,
    dispose: (source) => this.#send({ type: "close", source }),
  });
  #pending: Pending | null = null;
  #whenSettled: (() => void) | null = null;
  #whenReleased: ((error?: Error) => void) | null = null;
  #death: Error | null = null;
  #complaint = "";

  constructor(private readonly options: SqlProcessOptions) {
    this.#child = spawn(process.execPath, [...heapOptions(options), PROGRAM], {
      env: childEnvironment(process.env),
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#channel = (this.#child.stdio?.[PIPE] as Socket | undefined) ?? null;
    this.#watchdog = new Watchdog({ late: () => this.#late(), stuck: () => this.kill() });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (_code, signal) => (this.#died(signal), resolve()));
      this.#child.once("error", (error) => (this.#died(null, error), resolve()));
    });
    this.#channel?.on("data", (piece: Buffer) => {
      for (const frame of this.#frames.push(piece)) this.#take(frame);
    });
    this.#channel?.on("error", () => this.kill());
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-STDERR_CHARACTERS);
    });
    this.#child.unref();
    (this.#child.stderr as Socket | null)?.unref();
    this.#keepServerAlive(false);
  }

  /** Starts a process and waits until it takes commands. @throws DatabaseUnavailable when it does not start */
  static async start(options: SqlProcessOptions): Promise<SqlProcess> {
    const started = new SqlProcess(options);
    await started.#await({ timeLimitMs: START_LIMIT_MS, late: tooSlow });
    return started;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#death === null;
  }

  get isBusy(): boolean {
    return this.#pending !== null;
  }

  /** Why the process is of no use any more, or null. */
  get death(): Error | null {
    return this.#death;
  }

  /** What SQLite may use of its memory. */
  get heapLimitBytes(): number {
    return Math.floor(this.options.memoryBytes / 2);
  }

  /** What the process wrote to its standard error, at the end of it. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  hasOpen(source: string): boolean {
    return this.#sources.get(source) !== undefined;
  }

  /** @throws what the process says about a database that it can't open */
  async open(source: string, plan: SentPlan): Promise<void> {
    await this.ask({ type: "open", source, plan }, { timeLimitMs: START_LIMIT_MS, late: tooSlow });
    this.#sources.set(source, source);
  }

  /** Closes a database that no statement is using. */
  close(source: string): void {
    this.#sources.delete(source);
  }

  /**
   * Sends a command and waits for its reply.
   *
   * @throws QueryInterrupted when its time is over or the signal aborts, what the process replied, or why it died
   */
  ask(command: Command, limits: AskLimits): Promise<Answered> {
    if (limits.signal?.aborted === true) return Promise.reject(new QueryInterrupted("The caller went away."));
    const answered = this.#await(limits);
    this.#send(command);
    return answered;
  }

  /** Resolves when the process is not at work on a command any more, which may be after its caller was answered. */
  async settled(): Promise<void> {
    if (this.#pending === null || !this.isAlive) return;
    await new Promise<void>((resolve) => (this.#whenSettled = resolve));
  }

  /** Resolves when the stream of this process holds no lock. */
  async release(timeLimitMs: number): Promise<void> {
    if (!this.isAlive) return;
    if (this.#pending === null) this.#watchdog.start(timeLimitMs);
    const released = new Promise<void>((resolve, reject) => {
      this.#whenReleased = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#send({ type: "release" });
    await released;
  }

  /** Ends the process: it notices that its pipe has ended. */
  end(): void {
    this.#channel?.end();
  }

  /** Ends it whatever it does, and answers its caller at once. */
  kill(reason: Error = new QueryInterrupted()): void {
    if (this.#death !== null) return;
    this.#child.kill("SIGKILL");
    this.#fail(reason);
  }

  /** Kills it when it holds more memory than it may. */
  limitMemory(): void {
    const bytes = this.pid === undefined ? null : residentBytes(this.pid);
    if (bytes !== null && bytes > this.options.memoryBytes) this.kill(outOfMemory());
  }

  #await({ timeLimitMs, signal, late }: AskLimits): Promise<Answered> {
    return new Promise((resolve, reject) => {
      if (this.#death !== null) return reject(this.#death);
      const leave = (): void => {
        reject(new QueryInterrupted("The caller went away."));
        this.#send({ type: "cancel" });
        this.#watchdog.interrupted();
      };
      const unlisten = (): void => signal?.removeEventListener("abort", leave);
      signal?.addEventListener("abort", leave, { once: true });
      this.#pending = {
        resolve: (answered) => (unlisten(), resolve(answered)),
        reject: (error) => (unlisten(), reject(error)),
        late: late ?? (() => new QueryInterrupted()),
      };
      this.#keepServerAlive(true);
      this.#watchdog.start(timeLimitMs);
    });
  }

  #take(frame: Frame): void {
    const reply = decodeReply(frame);
    if (reply.type === "alive") return this.#watchdog.restart();
    if (reply.type === "released") return this.#released();
    const pending = this.#settle();
    if (reply.type === "failed") pending?.reject(restoreError(reply.error));
    else pending?.resolve({ reply, body: frame.body });
  }

  #settle(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    if (this.#whenReleased === null) this.#watchdog.stop();
    this.#keepServerAlive(false);
    this.#whenSettled?.();
    this.#whenSettled = null;
    return pending;
  }

  #released(error?: Error): void {
    this.#whenReleased?.(error);
    this.#whenReleased = null;
    if (this.#pending === null) this.#watchdog.stop();
  }

  #late(): void {
    this.#pending?.reject(this.#pending.late());
    this.#send({ type: "cancel" });
  }

  #died(signal: NodeJS.Signals | null, error?: Error): void {
    this.#fail(
      error === undefined ? this.#causeOfDeath(signal) : unavailable("it could not be started", error),
    );
  }

  #fail(reason: Error): void {
    this.#death ??= reason;
    this.#settle()?.reject(this.#death);
    this.#released(this.#death);
    this.#watchdog.stop();
  }

  #causeOfDeath(signal: NodeJS.Signals | null): Error {
    if (/heap (out of memory|limit)/i.test(this.#complaint)) return outOfMemory();
    return unavailable(signal === null ? "it ended by itself" : `it ended by ${signal}`);
  }

  #send(command: Command): void {
    if (this.#death !== null || this.#channel === null) return;
    for (const piece of encodeCommand(command)) this.#channel.write(piece);
  }

  /** An idle process must not keep the server from ending; a statement that runs must. */
  #keepServerAlive(isNeeded: boolean): void {
    if (isNeeded) this.#channel?.ref();
    else this.#channel?.unref();
  }
}

const MEBIBYTE = 1_048_576;

/** A third of what the process may hold goes to JavaScript, which only carries results. */
const heapOptions = ({ memoryBytes }: SqlProcessOptions): readonly string[] => [
  `--max-old-space-size=${Math.max(64, Math.floor(memoryBytes / MEBIBYTE / 3))}`,
];

const outOfMemory = (): SqlFailed => new SqlFailed("out of memory", "too-big");

const unavailable = (reason: string, cause?: Error): DatabaseUnavailable =>
  new DatabaseUnavailable(`The process for this statement has ended: ${reason}.`, { cause });

const tooSlow = (): DatabaseUnavailable =>
  new DatabaseUnavailable("A process for this statement did not start in time.");
