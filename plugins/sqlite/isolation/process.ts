import { LRUCache } from "lru-cache";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { DatabaseUnavailable, QueryInterrupted, SqlFailed } from "rowhouse/plugin-api/errors";
import { FrameReader, type Frame } from "./frames.js";
import { CommandsInFlight, NotBegun, type Answered, type AskLimits } from "./in-flight.js";
import { decodeReply, encodeCommand, type Command, type OrderedCommand, type SentPlan } from "./messages.js";
import { restoreError } from "./sent-errors.js";
import { residentBytes, spawnChild } from "./spawn-child.js";
import { Watchdog } from "./watchdog.js";

/** Time to start, and to open a database: extensions may be slow to load. */
const START_LIMIT_MS = 10_000;
/** Databases that one process keeps open. */
const OPEN_SOURCES = 8;
const STDERR_CHARACTERS = 2_000;
const READY_ID = 0;

/** A command that has no number yet. */
export type Draft = OrderedCommand extends infer Each
  ? Each extends unknown
    ? Omit<Each, "id">
    : never
  : never;

export interface SqlProcessOptions {
  /** Beyond this the process is killed. */
  readonly memoryBytes: number;
  /** Called after each reply and when the process has died. */
  readonly changed: (process: SqlProcess) => void;
}

/**
 * One process that runs untrusted SQL, as the server sees it. It carries out commands one after another. README.md
 * describes the protocol.
 */
export class SqlProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #pipe: Socket | null;
  readonly #frames = new FrameReader();
  readonly #inFlight: CommandsInFlight;
  readonly #releaseWatchdog = new Watchdog({ late: () => undefined, stuck: () => this.kill() });
  readonly #sources = new LRUCache<string, string>({
    max: OPEN_SOURCES,
    dispose: (source) => this.#send({ type: "close", id: this.#nextId(), source }),
  });
  readonly #opening = new Map<string, Promise<void>>();
  #lastId = READY_ID;
  /** The head behind which commands were recalled. */
  #recalledBehind: number | null = null;
  #unwritten: Buffer[] = [];
  #whenReleased: ((error?: Error) => void) | null = null;
  #death: Error | null = null;
  #errorOutput = "";

  constructor(private readonly options: SqlProcessOptions) {
    const { child, pipe } = spawnChild(options.memoryBytes);
    this.#child = child;
    this.#pipe = pipe;
    this.#inFlight = new CommandsInFlight({
      cancel: (id) => this.#send({ type: "cancel", id }),
      stuck: () => this.kill(),
      // An idle process must not keep the server from ending; a statement that runs must.
      busy: (isBusy) => void (isBusy ? pipe?.ref() : pipe?.unref()),
    });
    this.ended = new Promise((resolve) => {
      child.once("close", (_code, signal) => (this.#died(signal), resolve()));
      child.once("error", (error) => (this.#died(null, error), resolve()));
    });
    pipe?.on("data", (piece: Buffer) => {
      for (const frame of this.#frames.push(piece)) this.#take(frame);
    });
    // A process that has died breaks its pipe too; how it died is known when it is closed.
    pipe?.on("error", () => void child.kill("SIGKILL"));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-STDERR_CHARACTERS);
    });
    pipe?.unref();
  }

  /** Starts a process and waits until it takes commands. @throws DatabaseUnavailable when it does not start */
  static async start(options: SqlProcessOptions): Promise<SqlProcess> {
    const started = new SqlProcess(options);
    await started.#inFlight.add(READY_ID, { timeLimitMs: START_LIMIT_MS, late: tooSlow });
    return started;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#death === null;
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** True while a command runs for so long that those behind it were recalled. */
  get isHeldUp(): boolean {
    return this.#recalledBehind !== null && this.#recalledBehind === this.#inFlight.head;
  }

  /** True when a command did not stop at its time limit. The process is killed soon, or becomes idle. */
  get isStopping(): boolean {
    return this.#inFlight.isLate;
  }

  /** The time in which everything in flight is likely to be done. */
  get expectedMs(): number {
    return this.#inFlight.expectedMs;
  }

  /** The reason why the process has ended or was killed; null while it is alive. */
  get death(): Error | null {
    return this.#death;
  }

  /** The part of its memory that SQLite may use. */
  get heapLimitBytes(): number {
    return Math.floor(this.options.memoryBytes / 2);
  }

  /** The last text that the process has written to its standard error. */
  get errorOutput(): string {
    return this.#errorOutput.trim();
  }

  hasOpen(source: string): boolean {
    return this.#sources.get(source) !== undefined;
  }

  /** Opens a database by `open`, once for all that need it at the same time. */
  opened(source: string, open: () => Promise<void>): Promise<void> {
    const opening = this.#opening.get(source) ?? open().finally(() => this.#opening.delete(source));
    this.#opening.set(source, opening);
    return opening;
  }

  /** @throws what the process says about a database that it can't open */
  async open(source: string, plan: SentPlan): Promise<void> {
    await this.ask({ type: "open", source, plan }, { timeLimitMs: START_LIMIT_MS, late: tooSlow });
    this.#sources.set(source, source);
  }

  /** Closes a database after the commands that were sent before. */
  close(source: string): void {
    this.#sources.delete(source);
  }

  /**
   * Sends a command and waits for its reply.
   *
   * @throws QueryInterrupted when its time is over or the signal aborts, NotBegun when it did not run, the error that
   *   the process replied, or the reason why the process died
   */
  ask(command: Draft, limits: AskLimits): Promise<Answered> {
    if (limits.signal?.aborted === true) return Promise.reject(new QueryInterrupted("The caller went away."));
    if (!this.isAlive) return Promise.reject(new NotBegun());
    const id = this.#nextId();
    const answered = this.#inFlight.add(id, limits);
    this.#send({ id, ...command });
    return answered;
  }

  /** Resolves when no command is running, which may be after its caller was answered. */
  settled(): Promise<void> {
    return this.#inFlight.settled();
  }

  /** Resolves when the stream of this process holds no lock. */
  async release(timeLimitMs: number): Promise<void> {
    if (!this.isAlive) return;
    this.#releaseWatchdog.start(timeLimitMs);
    const released = new Promise<void>((resolve, reject) => {
      this.#whenReleased = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#send({ type: "release" });
    await released;
  }

  /** Recalls the commands behind one that has been running for longer than this. */
  recallBehind(limitMs: number): void {
    const { head, headMs, size } = this.#inFlight;
    if (head === null || headMs < limitMs) return;
    this.#recalledBehind = head;
    if (size > 1) this.#send({ type: "recall" });
  }

  /** Ends the process: it notices that its pipe has ended. */
  end(): void {
    this.#write();
    this.#pipe?.end();
  }

  /** Kills the process, and rejects its commands at once. */
  kill(reason: Error = new QueryInterrupted()): void {
    if (this.#death !== null) return;
    this.#child.kill("SIGKILL");
    this.#fail(reason);
  }

  /** Kills the process if it has more memory than it may have. */
  limitMemory(): void {
    const bytes = this.pid === undefined ? null : residentBytes(this.pid);
    if (bytes === null || bytes <= this.options.memoryBytes) return;
    const { head } = this.#inFlight;
    // A reply may have come while the event loop was busy. The statement after it is not to blame.
    setImmediate(() => {
      if (this.#inFlight.head === head) this.kill(outOfMemory());
    });
  }

  #take(frame: Frame): void {
    const reply = decodeReply(frame);
    switch (reply.type) {
      case "running":
        this.#releaseWatchdog.restart();
        return this.#inFlight.running(reply.id, reply.elapsedMs);
      case "released":
        return this.#released();
      case "returned":
        for (const id of reply.ids) this.#inFlight.reject(id, new NotBegun());
        break;
      case "failed":
        this.#inFlight.reject(reply.id, restoreError(reply.error));
        break;
      default:
        this.#inFlight.resolve(reply.id, { reply, body: frame.body });
    }
    this.options.changed(this);
  }

  #released(error?: Error): void {
    this.#releaseWatchdog.stop();
    this.#whenReleased?.(error);
    this.#whenReleased = null;
  }

  #died(signal: NodeJS.Signals | null, error?: Error): void {
    this.#fail(
      error === undefined ? this.#causeOfDeath(signal) : unavailable("it could not be started", error),
    );
  }

  #fail(reason: Error): void {
    if (this.#death !== null) return;
    this.#death = reason;
    this.#inFlight.failAll(reason);
    this.#released(reason);
    this.#releaseWatchdog.end();
    this.options.changed(this);
  }

  #causeOfDeath(signal: NodeJS.Signals | null): Error {
    if (/heap (out of memory|limit)/i.test(this.#errorOutput)) return outOfMemory();
    return unavailable(signal === null ? "it ended by itself" : `it ended by ${signal}`);
  }

  #nextId = (): number => (this.#lastId += 1);

  /** Statements that wait for the same event are sent in one turn, so their commands are written together. */
  #send(command: Command): void {
    if (!this.isAlive) return;
    if (this.#unwritten.length === 0) process.nextTick(this.#write);
    this.#unwritten.push(...encodeCommand(command));
  }

  #write = (): void => {
    const pieces = this.#unwritten;
    this.#unwritten = [];
    const [only] = pieces;
    if (this.isAlive && only !== undefined)
      this.#pipe?.write(pieces.length === 1 ? only : Buffer.concat(pieces));
  };
}

const outOfMemory = (): SqlFailed => new SqlFailed("out of memory", "too-big");

const unavailable = (reason: string, cause?: Error): DatabaseUnavailable =>
  new DatabaseUnavailable(`The process for this statement has ended: ${reason}.`, { cause });

const tooSlow = (): DatabaseUnavailable =>
  new DatabaseUnavailable("A process for this statement did not start in time.");
