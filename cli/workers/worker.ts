import type { Kernel, KernelOptions, Server } from "rowhouse";
import type { Log } from "rowhouse/plugin-api";
import type { Address } from "../address.js";
import type { PartialChoices } from "../choices.js";
import { rootUrl, startServer, openKernel, stopServer } from "../start-server.js";
import { isMessage, type Order, type Report, type StartOrder } from "./messages.js";
import { requestsForWriter } from "./writer-requests.js";

/** Waits for the order to start. The result serves until the order to stop. */
export async function startedWorker() {
  const orders = new Orders();
  report({ kind: "waiting" });
  const start = await orders.next();
  if (start.kind !== "start") process.exit();
  const log = new StartLog(start.speaks);
  return {
    startLog: (target: Log): Log => log.before(target),
    serve: (options: KernelOptions, address: Address, choices: PartialChoices): Promise<void> =>
      new Worker(start, orders, log).serve(options, address, choices),
  };
}

/** Leaves out what the start of the first worker has said already; errors are always printed. */
class StartLog {
  constructor(private speaks: boolean) {}

  /** The worker serves: all further messages are its own. */
  speak(): void {
    this.speaks = true;
  }

  /** A log that writes to `target`. */
  before = (target: Log): Log => ({
    ...target,
    info: (message, fields) => {
      if (this.speaks) target.info(message, fields);
    },
    warn: (message, fields) => {
      if (this.speaks) target.warn(message, fields);
    },
  });
}

/** The orders of the first process, one after the other. Signals are orders too. */
class Orders {
  readonly #received: Order[] = [];
  #wake: () => void = () => undefined;

  constructor() {
    process.on("message", (message: unknown) => {
      if (isMessage(message) && message.kind !== "ready" && message.kind !== "waiting") this.#take(message);
    });
    process.once("SIGTERM", () => this.#take({ kind: "stop" }));
    // Ctrl+C reaches all processes of a terminal. The first process decides in which order they end.
    process.on("SIGINT", () => undefined);
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

/** One of several processes that serve the same address. One of them performs all writes. */
class Worker {
  #writes: boolean;

  constructor(
    private readonly start: StartOrder,
    private readonly orders: Orders,
    private readonly log: StartLog,
  ) {
    this.#writes = start.writes;
  }

  /** Serves until the order to stop. Only the first worker prints what the start has to say. */
  async serve(options: KernelOptions, address: Address, choices: PartialChoices): Promise<void> {
    const { start } = this;
    const kernel = await openKernel({
      ...options,
      secrets: start.secrets,
      options: { ...options.options, isWriter: () => this.#writes },
    });
    const servers = this.#writes ? [await this.#listenForWorkers(kernel)] : [];
    const { Forwarder } = await import("rowhouse");
    const forwarder = new Forwarder(start.socketPath);
    const isForWriter = requestsForWriter(kernel);
    const server = await startServer(kernel, address, {
      diversion: { isMeant: (message) => !this.#writes && isForWriter(message), forwarder },
    });
    servers.push(server);
    this.log.speak();
    await tell(kernel, server, choices);
    const graceMs = await this.#untilStopped(async () => {
      servers.push(await this.#listenForWorkers(kernel));
    });
    await stopServer(kernel, servers, graceMs ?? kernel.setting("shutdown_grace_ms"));
    forwarder.close();
    process.disconnect?.();
  }

  /** Follows orders until the last one. @returns the grace period in it */
  async #untilStopped(beginToWrite: () => Promise<void>): Promise<number | undefined> {
    for (;;) {
      const order = await this.orders.next();
      if (order.kind === "stop") return order.graceMs;
      if (order.kind !== "write" || this.#writes) continue;
      await beginToWrite();
      this.#writes = true;
    }
  }

  async #listenForWorkers(kernel: Kernel): Promise<Server> {
    const { rm } = await import("node:fs/promises");
    const { listen } = await import("rowhouse");
    // The socket of a worker that was killed.
    await rm(this.start.socketPath, { force: true });
    return listen(kernel, { uds: this.start.socketPath, fromWorkers: true });
  }
}

async function tell(kernel: Kernel, server: Server, choices: PartialChoices): Promise<void> {
  const opens = choices.open === true;
  report({
    kind: "ready",
    url: server.url,
    root: rootUrl(kernel, server),
    firstPage: opens ? await (await import("../open-browser.js")).firstPage(kernel) : null,
    graceMs: kernel.setting("shutdown_grace_ms"),
  });
}

const report = (told: Report): void => void process.send?.(told);
