import cluster, { type Worker } from "node:cluster";
import { StartupError, type Log } from "rowhouse/plugin-api";
import {
  isMessage,
  WORKER_VARIABLE,
  REPORT_EVERY_MS,
  type Order,
  type Ready,
  type Reloaded,
  type StartOrder,
} from "./messages.js";
import { Gatherings, isPeerMessage, type PeerMessage } from "./peers.js";

/** The next start will probably fail for the same reason. */
const WAIT_AFTER_FAILED_START_MS = 1_000;
/**
 * How many pools of memory the C library has. By default it has up to eight for each core, in which memory that SQLite
 * has freed remains.
 */
const { MALLOC_ARENA_MAX = "2" } = process.env;
/** A worker that has not ended so long after its grace period is killed. */
const BLOCKED_MS = 1_000;

/** The part of the grace period after which only the worker that writes may run, which then closes its databases. */
const READERS_SHARE = 0.9;

/** A worker that has not reported for about 30 seconds hangs. */
const MOST_SILENT_CHECKS = 6;

interface Life {
  readonly number: number;
  /** As `start` returns it. */
  started: Promise<Ready | number>;
  isReady: boolean;
  /**
   * Checks since its last report. The time is not measured: if the first process or the whole machine has paused, reports
   * are read after the check.
   */
  silentChecks: number;
}

/** The workers that run, and which of them writes. */
export class Workers {
  readonly #running = new Map<Worker, Life>();
  #writer: Worker | null = null;
  #replaces = false;
  #checks: NodeJS.Timeout | undefined;
  readonly #gatherings = new Gatherings((id, message) => {
    const worker = cluster.workers?.[id];
    if (worker !== undefined) send(worker, message);
  });

  constructor(
    private shared: Pick<StartOrder, "secrets" | "socketPath" | "port">,
    private readonly configFile: string | null,
    public log: Log,
  ) {}

  get secrets(): StartOrder["secrets"] {
    return this.shared.secrets;
  }

  /** Starts a worker. If it ends before it listens, it has printed the reason, and the result is its exit code. */
  async start({ logsStart }: Pick<StartOrder, "logsStart">): Promise<Ready | number> {
    const worker = cluster.fork({ MALLOC_ARENA_MAX, [WORKER_VARIABLE]: this.configFile ?? "" });
    const writes = this.#writer === null;
    if (writes) this.#writer = worker;
    const number = this.#freeNumber();
    const life: Life = { number, started: Promise.resolve(1), isReady: false, silentChecks: 0 };
    this.#running.set(worker, life);
    closeWaitingAtExit(worker);
    life.started = new Promise<Ready | number>((resolve) => {
      worker.on("message", (message: unknown) => {
        life.silentChecks = 0;
        if (isPeerMessage(message)) void this.#gatherings.receive(message, worker.id, this.#serving());
        if (!isMessage(message)) return;
        if (message.kind === "waiting")
          tell(worker, { kind: "start", ...this.shared, number, writes, logsStart });
        if (message.kind === "ready") resolve(message);
      });
      worker.once("exit", (code, signal) => {
        resolve(code ?? 1);
        this.#ended(worker, life, signal ?? `exit code ${code}`);
      });
      // A message to a worker that has ended.
      worker.on("error", () => undefined);
    });
    const answer = await life.started;
    life.isReady = typeof answer !== "number";
    if (life.isReady && this.#writer === null) this.#chooseWriter();
    return answer;
  }

  /** That of a worker that ended is used again, so that there are never more numbers than workers. */
  #freeNumber(): number {
    const used = new Set([...this.#running.values()].map(({ number }) => number));
    let number = 1;
    while (used.has(number)) number += 1;
    return number;
  }

  /**
   * Reloads one worker after the other. If the first one can't, none does.
   *
   * @throws StartupError with the reason; the workers before the one that failed have reloaded
   */
  async reload(secrets: StartOrder["secrets"]): Promise<Pick<Reloaded, "root">> {
    let root: string | null = null;
    for (const [worker, { started }] of this.#running) {
      // One that is starting may have read the configuration of before.
      if (typeof (await started) === "number") continue;
      const reloaded = await reloadOne(worker, secrets);
      if (reloaded === null) continue;
      if (reloaded.problem !== null) throw new StartupError(reloaded.problem);
      // Workers that start from now on read the new configuration too.
      this.shared = { ...this.shared, secrets };
      if (worker === this.#writer) ({ root } = reloaded);
    }
    return { root };
  }

  /** From now on, workers that end or hang are replaced. */
  replaceEnded(count: number): void {
    this.#replaces = true;
    this.#checks = setInterval(() => this.#killHanging(), REPORT_EVERY_MS);
    for (let missing = count - this.#running.size; missing > 0; missing--)
      void this.start({ logsStart: false });
  }

  #killHanging(): void {
    for (const [worker, life] of this.#running) {
      life.silentChecks += 1;
      if (!life.isReady || life.silentChecks <= MOST_SILENT_CHECKS) continue;
      this.log.warn(`The worker ${worker.process.pid} hangs and is killed`);
      worker.process.kill("SIGKILL");
    }
  }

  #ended(worker: Worker, { isReady }: Life, reason: string): void {
    this.#running.delete(worker);
    if (this.#writer === worker) this.#chooseWriter();
    if (!this.#replaces) return;
    this.log.warn(`The worker ${worker.process.pid} ended (${reason}) and is replaced`);
    setTimeout(
      () => this.#replaces && void this.start({ logsStart: false }),
      isReady ? 0 : WAIT_AFTER_FAILED_START_MS,
    );
  }

  readonly #serving = (): readonly number[] =>
    [...this.#running].filter(([, { isReady }]) => isReady).map(([{ id }]) => id);

  #chooseWriter(): void {
    this.#writer = [...this.#running].find(([, { isReady }]) => isReady)?.[0] ?? null;
    if (this.#writer !== null) tell(this.#writer, { kind: "write" });
  }

  /** Ends the worker that writes last: the others may still have requests for it. */
  async stop(graceMs: number): Promise<void> {
    const endMs = performance.now() + graceMs;
    this.#replaces = false;
    clearInterval(this.#checks);
    // Load balancers must not choose it while the others end.
    if (this.#writer !== null) tell(this.#writer, { kind: "drain" });
    await this.#end(
      [...this.#running.keys()].filter((worker) => worker !== this.#writer),
      graceMs * READERS_SHARE,
    );
    await this.#end([...this.#running.keys()], Math.max(0, endMs - performance.now()));
  }

  async #end(workers: readonly Worker[], graceMs: number): Promise<void> {
    await Promise.all(
      workers.map(async (worker) => {
        const ended = new Promise((resolve) => worker.once("exit", resolve));
        tell(worker, { kind: "stop", graceMs });
        // A worker ends itself, unless its event loop is blocked.
        const timer = setTimeout(() => worker.process.kill("SIGKILL"), graceMs + BLOCKED_MS);
        await ended;
        clearTimeout(timer);
      }),
    );
  }
}

/** Null if the worker has ended: the one that replaces it reads the configuration at its start. */
function reloadOne(worker: Worker, secrets: StartOrder["secrets"]): Promise<Reloaded | null> {
  return new Promise((resolve) => {
    const settle = (reloaded: Reloaded | null): void => {
      worker.off("message", receive).off("exit", ended);
      resolve(reloaded);
    };
    const receive = (message: unknown): void => {
      if (isMessage(message) && message.kind === "reloaded") settle(message);
    };
    const ended = (): void => settle(null);
    worker.on("message", receive).once("exit", ended);
    tell(worker, { kind: "reload", secrets });
  });
}

/** A worker may end before it receives the message. */
const send = (worker: Worker, message: Order | PeerMessage): void =>
  void worker.send(message, () => undefined);
const tell = (worker: Worker, order: Order): void => send(worker, order);

/** A connection that the first process passes to a worker. */
interface Handle {
  close(): void;
}

/**
 * When the worker ends, closes the connection that it was given and has not accepted. Node passes a worker one connection
 * at a time and waits for its answer, without end if the worker was killed: the client would wait as long. So only the last
 * connection can be waiting, and to close one that was accepted has no effect.
 */
function closeWaitingAtExit(worker: Worker): void {
  let last: Handle | null = null;
  const child = worker.process;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  child.send = (...args: readonly unknown[]): boolean => {
    if (isNewConnection(args[0])) last = args[1] as Handle;
    return send(...args);
  };
  worker.once("exit", () => last?.close());
}

/** The form of this message is that of `lib/internal/cluster` in Node 20 and 24. */
const isNewConnection = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "act" in message && message.act === "newconn";
