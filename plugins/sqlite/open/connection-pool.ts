import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import type { Connection } from "./connection.js";
import { waitFor, type WaitingCaller } from "./waiting.js";

/** Untrusted statements never take the last connection of a pool. */
export type TrustLevel = "trusted" | "untrusted";

interface Waiting extends WaitingCaller<Connection> {
  readonly trust: TrustLevel;
}

export interface PoolOptions {
  readonly open: () => Promise<Connection>;
  readonly size: number;
  /** The longest wait for a connection. */
  readonly waitLimitMs: number;
}

/** Connections that are opened when they are first needed. Each is lent to one user at a time, in order of arrival. */
export class ConnectionPool {
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #lent = { trusted: 0, untrusted: 0 };
  readonly #generationOf = new WeakMap<Connection, number>();
  #generation = 0;
  #closed = false;
  #drained: (() => void) | null = null;

  constructor(private readonly options: PoolOptions) {}

  /**
   * Lends a connection for the duration of `use`.
   *
   * @throws DatabaseUnavailable if none becomes free in time, QueryInterrupted if the signal aborts
   */
  async use<T>(
    trust: TrustLevel,
    signal: AbortSignal | undefined,
    use: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const acquired = this.#acquire(trust, signal);
    const connection = acquired instanceof Promise ? await acquired : acquired;
    try {
      return await use(connection);
    } finally {
      this.#return(trust, connection);
    }
  }

  /** Like `use`, until `end` of the lease is called. More calls of `end` have no effect. */
  async borrow(trust: TrustLevel, signal?: AbortSignal): Promise<Lease> {
    const connection = await this.#acquire(trust, signal);
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.#return(trust, connection);
    };
    return { connection, end };
  }

  get load(): { readonly lent: number; readonly waiting: number } {
    return { lent: this.#lentCount(), waiting: this.#waiting.length };
  }

  /** Replaces all connections by new ones. Those in use are closed when they are returned. */
  renew(): void {
    this.#generation += 1;
    for (const connection of this.#idle.splice(0)) void connection.close().catch(() => undefined);
  }

  /** Rejects waiting users, and resolves after the last user has returned its connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) {
      waiting.refuse(new DatabaseUnavailable("The database is closed."));
    }
    if (this.#lentCount() > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  #lentCount = (): number => this.#lent.trusted + this.#lent.untrusted;

  #hasRoom(trust: TrustLevel): boolean {
    if (this.#lentCount() >= this.options.size) return false;
    return trust === "trusted" || this.#lent.untrusted < Math.max(1, this.options.size - 1);
  }

  /** Synchronous if a connection is idle, which is the usual case. */
  #acquire(trust: TrustLevel, signal: AbortSignal | undefined): Connection | Promise<Connection> {
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    return this.#hasRoom(trust) ? this.#lend(trust) : this.#wait(trust, signal);
  }

  #lend(trust: TrustLevel): Connection | Promise<Connection> {
    this.#lent[trust] += 1;
    return this.#idle.pop() ?? this.#openFor(trust);
  }

  async #openFor(trust: TrustLevel): Promise<Connection> {
    try {
      return await this.#open();
    } catch (error) {
      this.#free(trust);
      throw error;
    }
  }

  async #open(): Promise<Connection> {
    const generation = this.#generation;
    const connection = await this.options.open();
    this.#generationOf.set(connection, generation);
    return connection;
  }

  #wait(trust: TrustLevel, signal: AbortSignal | undefined): Promise<Connection> {
    return waitFor<Connection>({ limitMs: this.options.waitLimitMs, signal }, (caller) => {
      const waiting = { trust, ...caller };
      this.#waiting.push(waiting);
      return () => this.#removeWaiting(waiting);
    });
  }

  #removeWaiting(waiting: Waiting): void {
    const position = this.#waiting.indexOf(waiting);
    if (position !== -1) this.#waiting.splice(position, 1);
  }

  #return(trust: TrustLevel, connection: Connection): void {
    if (this.#generationOf.get(connection) === this.#generation) this.#idle.push(connection);
    else void connection.close().catch(() => undefined);
    this.#free(trust);
  }

  #free(trust: TrustLevel): void {
    this.#lent[trust] -= 1;
    const next = this.#waiting.findIndex((waiting) => this.#hasRoom(waiting.trust));
    const [waiting] = next === -1 ? [] : this.#waiting.splice(next, 1);
    waiting?.take(this.#lend(waiting.trust));
    if (this.#lentCount() === 0) this.#drained?.();
  }
}

/** A borrowed connection. */
export interface Lease {
  readonly connection: Connection;
  end(): void;
}
