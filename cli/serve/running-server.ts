import type { Kernel, KernelOptions, ListenOptions, Server } from "rowhouse";
import type { Log } from "rowhouse/plugin-api";
import type { WorkerGroup } from "rowhouse/plugin-api/contracts";
import type { Address } from "../configuration/address.js";
import type { Start } from "../configuration/read-start.js";
import { limitHeapGrowth } from "./limit-heap-growth.js";
import { endAfter, rootUrl, startServer } from "./start-server.js";

/** How a process takes part in serving. */
export interface ServingRole extends Pick<ListenOptions, "forwarding"> {
  /** True in the process that performs all writes. */
  readonly writes: () => boolean;
  /** The workers of which this process is one. */
  readonly workers?: WorkerGroup;
}

/** A server whose kernel can be replaced while it serves. */
export class RunningServer {
  readonly #servers: Server[] = [];
  /** State that plugins keep over reloads: see `keepOverReloads`. */
  readonly #kept = new Map<string, unknown>();
  /** The kernels that answer their last requests. */
  readonly #closing = new Set<Promise<void>>();
  #kernel: Kernel | null = null;

  private constructor(private readonly role: ServingRole) {}

  /** @throws StartupError if a plugin, a database or the address fails */
  static async open(start: Start, address: Address, role: ServingRole): Promise<RunningServer> {
    limitHeapGrowth();
    const running = new RunningServer(role);
    const kernel = await running.#openKernel(start.options);
    running.#kernel = kernel;
    running.#servers.push(await startServer(kernel, address, role));
    return running;
  }

  get kernel(): Kernel {
    if (this.#kernel === null) throw new Error("The server is not open yet");
    return this.#kernel;
  }

  get url(): string {
    return this.#servers[0]?.url ?? "";
  }

  get rootUrl(): string | null {
    return rootUrl(this.kernel, this.url);
  }

  /** Serves at one more address. */
  async listen(options: ListenOptions): Promise<void> {
    const { listen } = await import("rowhouse");
    this.#servers.push(await listen(this.kernel, options));
  }

  /**
   * Opens a second kernel. If that succeeds, it answers from now on; the first one is closed after its last request.
   *
   * @throws StartupError, or what a plugin throws; then the first kernel continues to answer
   */
  async reload({ options, log }: Start, tls: Address["tls"]): Promise<void> {
    const before = this.kernel;
    const next = await this.#openKernel(options);
    const changes = await Promise.all(this.#servers.map((server) => server.prepareKernel(next, tls))).catch(
      async (error: unknown) => {
        await next.close().catch(() => undefined);
        throw error;
      },
    );
    this.#kernel = next;
    const ended = Promise.all(changes.map((change) => change())).then(() => closeReplaced(before, log));
    this.#closing.add(ended);
    void ended.finally(() => this.#closing.delete(ended));
  }

  /** Tells probes that the server will stop. It still answers everything. */
  async drain(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.drain()));
  }

  /** Stops accepting connections, waits for running requests, and closes the databases. */
  async stop(graceMs: number): Promise<void> {
    endAfter(Math.max(graceMs, LEAST_GRACE_MS), this.kernel.log);
    // Closing the connections interrupts their statements. The databases then still have time to close.
    await Promise.all(this.#servers.map((server) => server.close(graceMs * CONNECTIONS_SHARE)));
    await Promise.all([this.kernel.close(), ...this.#closing]);
  }

  async #openKernel(options: KernelOptions): Promise<Kernel> {
    let kernel: Kernel | null = null;
    const isWriter = (): boolean => this.role.writes() && kernel !== null && kernel === this.#kernel;
    const { workers } = this.role;
    const added = { isWriter, keep: this.#keep, ...(workers !== undefined && { workers }) };
    const rowhouse = await import("rowhouse");
    kernel = await rowhouse.Kernel.open({ ...options, options: { ...options.options, ...added } });
    return kernel;
  }

  readonly #keep = <State>(name: string, make: () => State): State => {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as State;
  };
}

const LEAST_GRACE_MS = 1_000;
const CONNECTIONS_SHARE = 0.8;

const closeReplaced = (kernel: Kernel, log: Log): Promise<void> =>
  kernel
    .close()
    .catch((error: unknown) => log.error("The replaced configuration could not be closed", error));
