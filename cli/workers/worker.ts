import { rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { messageOf, type Log, type Rowhouse } from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";
import type { Address } from "../configuration/address.js";
import type { Start } from "../configuration/read-start.js";
import { RunningServer } from "../serve/running-server.js";
import { tlsOf } from "../serve/serve-alone.js";
import {
  isMessage,
  REPORT_EVERY_MS,
  type Order,
  type ReloadOrder,
  type Report,
  type StartOrder,
} from "./messages.js";
import { Peers } from "./peers.js";

/** Waits for the order to start. The result serves until the order to stop. */
export async function startedWorker() {
  const orders = new Orders();
  report({ kind: "waiting" });
  const start = await orders.next();
  if (start.kind !== "start") process.exit();
  const log = new StartLog(start.logsStart);
  return {
    startLog: (target: Log): Log => log.before(target),
    serve: (read: Start, address: Address, readAgain: (log: Log) => Promise<Start>): Promise<void> =>
      new Worker(start, orders, log, readAgain).serve(read, { ...address, port: start.port }),
  };
}

/** Leaves out messages of the start that the first worker logs too. Errors are always logged. */
class StartLog {
  constructor(private isLogging: boolean) {}

  /** Logs everything from now on: after the start, the messages of the workers differ. */
  begin(): void {
    this.isLogging = true;
  }

  /** A log that writes to `target`. */
  before = (target: Log): Log => ({
    ...target,
    info: (message, fields) => {
      if (this.isLogging) target.info(message, fields);
    },
    warn: (message, fields) => {
      if (this.isLogging) target.warn(message, fields);
    },
  });
}

/** The orders of the first process, one after the other. Signals are orders too. */
class Orders {
  readonly #received: Order[] = [];
  #wake: () => void = () => undefined;

  constructor() {
    process.on("message", (message: unknown) => {
      if (isMessage(message) && isOrder(message)) this.#take(message);
    });
    process.once("SIGTERM", () => this.#take({ kind: "stop" }));
    // Ctrl+C reaches all processes of a terminal. The first process decides in which order they end.
    process.on("SIGINT", () => undefined);
    process.on("SIGHUP", () => undefined);
  }

  #take(order: Order): void {
    this.#received.push(order);
    this.#wake();
  }

  async next(): Promise<Order> {
    for (;;) {
      const order = this.#received.shift();
      if (order !== undefined) return order;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const REPORTS: ReadonlySet<string> = new Set<Report["kind"]>(["waiting", "alive", "ready", "reloaded"]);
const isOrder = (message: Order | Report): message is Order => !REPORTS.has(message.kind);

/** One of several processes that serve the same address. One of them performs all writes. */
class Worker {
  #writes: boolean;

  constructor(
    private readonly start: StartOrder,
    private readonly orders: Orders,
    private readonly log: StartLog,
    private readonly readAgain: (log: Log) => Promise<Start>,
  ) {
    this.#writes = start.writes;
  }

  /** Serves until the order to stop. Only the first worker prints what the start has to say. */
  async serve(read: Start, address: Address): Promise<void> {
    const { Forwarder } = await import("rowhouse");
    const forwarder = new Forwarder(this.start.socketPath);
    const running = await RunningServer.open(withSecrets(read, this.start), address, {
      writes: () => this.#writes,
      workers: new Peers(this.start.number),
      forwarding: {
        isForwarded: (message, kernel) => !this.#writes && isForWriter(message, kernel),
        forwarder,
      },
    });
    if (this.#writes) await this.#listenForWorkers(running);
    // The first process was killed. Otherwise it removes the folder itself.
    process.prependOnceListener("disconnect", this.#removeFolder);
    this.log.begin();
    await tellReady(running, read);
    setInterval(() => report({ kind: "alive" }), REPORT_EVERY_MS).unref();
    const graceMs = await this.#untilStopped(running, read.log);
    await running.stop(graceMs ?? running.kernel.setting("shutdown_grace_ms"));
    forwarder.close();
    process.off("disconnect", this.#removeFolder);
    process.disconnect?.();
  }

  readonly #removeFolder = (): void =>
    rmSync(dirname(this.start.socketPath), { recursive: true, force: true });

  /** Follows orders until the last one. @returns the grace period in it */
  async #untilStopped(running: RunningServer, log: Log): Promise<number | undefined> {
    for (;;) {
      const order = await this.orders.next();
      if (order.kind === "stop") return order.graceMs;
      if (order.kind === "drain") void running.drain();
      if (order.kind === "reload") report(await this.#reload(running, order, log));
      if (order.kind !== "write" || this.#writes) continue;
      await this.#listenForWorkers(running);
      this.#writes = true;
    }
  }

  async #reload(running: RunningServer, order: ReloadOrder, log: Log): Promise<Report> {
    const before = running.rootUrl;
    try {
      const next = await this.readAgain(log);
      await running.reload(withSecrets(next, order), tlsOf(next.choices));
    } catch (error) {
      return { kind: "reloaded", problem: messageOf(error), root: null };
    }
    const root = running.rootUrl;
    return { kind: "reloaded", problem: null, root: root === before ? null : root };
  }

  async #listenForWorkers(running: RunningServer): Promise<void> {
    const { rm } = await import("node:fs/promises");
    // The socket of a worker that was killed.
    await rm(this.start.socketPath, { force: true });
    await running.listen({ uds: this.start.socketPath, fromWorkers: true });
  }
}

const withSecrets = (start: Start, { secrets }: Pick<StartOrder, "secrets">): Start => ({
  ...start,
  options: { ...start.options, secrets },
});

async function tellReady({ kernel, url, rootUrl }: RunningServer, { choices }: Start): Promise<void> {
  report({
    kind: "ready",
    url,
    root: rootUrl,
    firstPage:
      choices.open === true ? await (await import("../serve/open-browser.js")).firstPage(kernel) : null,
    graceMs: kernel.setting("shutdown_grace_ms"),
  });
}

/** The first process may have ended. */
const report = (message: Report): void => void process.send?.(message, undefined, undefined, () => undefined);

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The page that signs in with a one-time link: the worker that writes knows whether it was used. */
const ONE_TIME_LINK = "-/auth-token";

/**
 * True for requests that the worker that writes must answer: those that can change something, and those about databases
 * in memory that can change, of which each process has its own.
 */
function isForWriter({ method, url = "/" }: IncomingMessage, rowhouse: Rowhouse): boolean {
  if (!SAFE_METHODS.has(method)) return true;
  const base = rowhouse.urls.path("/");
  const path = url.startsWith(base) ? url.slice(base.length) : url.replace(/^\//, "");
  if (path.startsWith(ONE_TIME_LINK)) return true;
  const database = rowhouse.databases.get(databaseIn(path));
  return database?.memory === true && database.mutable && !database.internal;
}

/** `my rows` in `my+rows.json?sql=...`. */
const databaseIn = (path: string): string => tildeDecode(/^[^/?.]*/.exec(path)?.[0] ?? "");
