import cluster, { type Worker } from "node:cluster";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "rowhouse/plugin-api";
import { ensureFree, type Address } from "../address.js";
import type { PartialChoices } from "../choices.js";
import { logFor } from "../log/log-for.js";
import { signingSecrets, warnAboutSecret } from "../secret.js";
import { isMessage, MARK, type Order, type Ready, type StartOrder } from "./messages.js";

/** The next start will probably fail for the same reason. */
const WAIT_AFTER_FAILED_START_MS = 1_000;
/** A worker that has not ended so long after its grace period is killed. */
const BLOCKED_MS = 1_000;

/**
 * Starts workers on one address and replaces those that end, until a signal ends all of them.
 *
 * One worker performs all writes, so that concurrent writes still share commits. If it ends, another one takes its
 * place at once.
 *
 * @throws StartupError if the address is in use
 */
export async function supervise(choices: PartialChoices, address: Address, count: number): Promise<void> {
  await ensureFree(address);
  // Only this user can enter the folder, so only workers can reach the socket.
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-workers-"));
  try {
    const log = await logFor(choices);
    const secrets = signingSecrets(choices.secret);
    const workers = new Workers({ secrets, socketPath: join(folder, "writer") }, log);
    const stopped = stopSignal();
    const first = await workers.start(true);
    if (typeof first === "number") return void (process.exitCode = first || 1);
    await Promise.all(Array.from({ length: count - 1 }, () => workers.start(false)));
    workers.replaceEnded(count);
    log.info(`${count} workers`);
    await announce(first, choices, log);
    await stopped;
    await workers.stop(first.graceMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function announce({ root, url, firstPage }: Ready, choices: PartialChoices, log: Log): Promise<void> {
  warnAboutSecret(choices.secret, log);
  if (root !== null) process.stdout.write(`${root}\n`);
  log.info(`Rowhouse running on ${url} (Press CTRL+C to quit)`);
  if (firstPage === null) return;
  const { openBrowser } = await import("../open-browser.js");
  openBrowser(root ?? `${url}${firstPage}`);
}

interface Life {
  isReady: boolean;
}

/** The workers that run, and which of them writes. */
class Workers {
  readonly #running = new Map<Worker, Life>();
  #writer: Worker | null = null;
  #replaces = false;

  constructor(
    private readonly shared: Pick<StartOrder, "secrets" | "socketPath">,
    private readonly log: Log,
  ) {}

  /** Starts a worker. If it ends before it listens, it has printed the reason, and the result is its exit code. */
  async start(speaks: boolean): Promise<Ready | number> {
    const worker = cluster.fork({ [MARK]: "1" });
    const writes = this.#writer === null;
    if (writes) this.#writer = worker;
    const life: Life = { isReady: false };
    this.#running.set(worker, life);
    const told = new Promise<Ready | number>((resolve) => {
      worker.on("message", (message: unknown) => {
        if (!isMessage(message)) return;
        if (message.kind === "waiting") tell(worker, { kind: "start", ...this.shared, writes, speaks });
        if (message.kind === "ready") resolve(message);
      });
      worker.once("exit", (code, signal) => {
        resolve(code ?? 1);
        this.#ended(worker, life, signal ?? `exit code ${code}`);
      });
      // A message to a worker that has ended.
      worker.on("error", () => undefined);
    });
    const answer = await told;
    life.isReady = typeof answer !== "number";
    if (life.isReady && this.#writer === null) this.#chooseWriter();
    return answer;
  }

  /** From now on, workers that end are replaced. */
  replaceEnded(count: number): void {
    this.#replaces = true;
    for (let missing = count - this.#running.size; missing > 0; missing--) void this.start(false);
  }

  #ended(worker: Worker, { isReady }: Life, reason: string): void {
    this.#running.delete(worker);
    if (this.#writer === worker) this.#chooseWriter();
    if (!this.#replaces) return;
    this.log.warn(`The worker ${worker.process.pid} ended (${reason}) and is replaced`);
    setTimeout(() => this.#replaces && void this.start(false), isReady ? 0 : WAIT_AFTER_FAILED_START_MS);
  }

  #chooseWriter(): void {
    this.#writer = [...this.#running].find(([, { isReady }]) => isReady)?.[0] ?? null;
    if (this.#writer !== null) tell(this.#writer, { kind: "write" });
  }

  /** Ends the worker that writes last: the others may still have requests for it. */
  async stop(graceMs: number): Promise<void> {
    this.#replaces = false;
    const half = graceMs / 2;
    await this.#end(
      [...this.#running.keys()].filter((worker) => worker !== this.#writer),
      half,
    );
    await this.#end([...this.#running.keys()], half);
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

/** A worker may end before it receives the message. */
const tell = (worker: Worker, order: Order): void => void worker.send(order, () => undefined);

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
