import type { PoolClient } from "pg";

const CHECK_MS = 2_000;

/**
 * Ends the sessions of a pool if one of them has been in use for some seconds and its server does not answer any more, as
 * when its machine or the network has failed. Otherwise their statements would wait until the system gives up the
 * connection, which takes a quarter of an hour.
 */
export class SilentServer {
  readonly #open = new Set<PoolClient>();
  /** When each session in use was borrowed. */
  readonly #inUse = new Map<PoolClient, number>();
  #checks: NodeJS.Timeout | null = null;
  #isChecking = false;

  /** @param isAnswering asks the server on a connection of its own */
  constructor(private readonly isAnswering: () => Promise<boolean>) {}

  opened(client: PoolClient): void {
    this.#open.add(client);
    client.once("end", () => this.#open.delete(client));
  }

  borrowed(client: PoolClient): void {
    this.#inUse.set(client, performance.now());
    this.#checks ??= setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  returned(client: PoolClient): void {
    this.#inUse.delete(client);
  }

  async #check(): Promise<void> {
    if (this.#inUse.size === 0 && this.#checks !== null) {
      clearInterval(this.#checks);
      this.#checks = null;
    }
    const longAgoMs = performance.now() - CHECK_MS;
    if (this.#isChecking || ![...this.#inUse.values()].some((sinceMs) => sinceMs < longAgoMs)) return;
    this.#isChecking = true;
    const isSilent = !(await this.isAnswering());
    this.#isChecking = false;
    // Those that are not in use would be lent next.
    if (isSilent) for (const client of this.#open) client.connection.stream.destroy();
  }
}
