import { DatabaseUnavailable, QueryInterrupted } from "rowhouse/plugin-api";
import type { Connection } from "./connection.js";

/** Who a connection is for: statements of strangers never take the last one. */
export type TrustLevel = "trusted" | "untrusted";

interface Waiting {
  readonly guest: TrustLevel;
  readonly take: (connection: Connection | Promise<Connection>) => void;
  readonly refuse: (error: Error) => void;
}

export interface PoolOptions {
  readonly open: () => Promise<Connection>;
  readonly size: number;
  /** How long one waits for a connection at most. */
  readonly waitLimitMs: number;
}

/** Connections that are opened when first needed and lent to one user at a time, in order of arrival. */
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
   * @throws DatabaseUnavailable when none becomes free in time, QueryInterrupted when the caller goes away
   */
  async use<T>(
    guest: TrustLevel,
    signal: AbortSignal | undefined,
    use: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const admitted = this.#admit(guest, signal);
    const connection = admitted instanceof Promise ? await admitted : admitted;
    try {
      return await use(connection);
    } finally {
      this.#takeBack(guest, connection);
    }
  }

  /** Like `use`, for users whose time does not end with a function; `end` may be called more than once. */
  async borrow(guest: TrustLevel, signal?: AbortSignal): Promise<Lease> {
    const connection = await this.#admit(guest, signal);
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.#takeBack(guest, connection);
    };
    return { connection, end };
  }

  /** Connections opened so far are closed as they come back, and new ones opened in their place. */
  renew(): void {
    this.#generation += 1;
    for (const connection of this.#idle.splice(0)) void connection.close().catch(() => undefined);
  }

  /** Refuses those who wait, and resolves when the last user is done. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) {
      waiting.refuse(new DatabaseUnavailable("The database is closed."));
    }
    if (this.#lentCount() > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  #lentCount = (): number => this.#lent.trusted + this.#lent.untrusted;

  #hasRoom(guest: TrustLevel): boolean {
    if (this.#lentCount() >= this.options.size) return false;
    return guest === "trusted" || this.#lent.untrusted < Math.max(1, this.options.size - 1);
  }

  /** At once where a connection is idle, as is so nearly always. */
  #admit(guest: TrustLevel, signal: AbortSignal | undefined): Connection | Promise<Connection> {
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    return this.#hasRoom(guest) ? this.#lend(guest) : this.#wait(guest, signal);
  }

  #lend(guest: TrustLevel): Connection | Promise<Connection> {
    this.#lent[guest] += 1;
    return this.#idle.pop() ?? this.#openFor(guest);
  }

  async #openFor(guest: TrustLevel): Promise<Connection> {
    try {
      return await this.#open();
    } catch (error) {
      this.#free(guest);
      throw error;
    }
  }

  async #open(): Promise<Connection> {
    const generation = this.#generation;
    const connection = await this.options.open();
    this.#generationOf.set(connection, generation);
    return connection;
  }

  #wait(guest: TrustLevel, signal: AbortSignal | undefined): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(patience);
        signal?.removeEventListener("abort", leave);
      };
      const waiting: Waiting = {
        guest,
        take: (connection) => (settle(), resolve(connection)),
        refuse: (error) => (settle(), this.#strike(waiting), reject(error)),
      };
      const leave = (): void => waiting.refuse(new QueryInterrupted("The caller went away."));
      const patience = setTimeout(
        () => waiting.refuse(new DatabaseUnavailable("Too many queries are waiting for this database.")),
        this.options.waitLimitMs,
      );
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #strike(waiting: Waiting): void {
    const position = this.#waiting.indexOf(waiting);
    if (position !== -1) this.#waiting.splice(position, 1);
  }

  #takeBack(guest: TrustLevel, connection: Connection): void {
    if (this.#generationOf.get(connection) === this.#generation) this.#idle.push(connection);
    else void connection.close().catch(() => undefined);
    this.#free(guest);
  }

  #free(guest: TrustLevel): void {
    this.#lent[guest] -= 1;
    const next = this.#waiting.findIndex((waiting) => this.#hasRoom(waiting.guest));
    const [waiting] = next === -1 ? [] : this.#waiting.splice(next, 1);
    waiting?.take(this.#lend(waiting.guest));
    if (this.#lentCount() === 0) this.#drained?.();
  }
}

/** A connection in somebody's hands. */
export interface Lease {
  readonly connection: Connection;
  end(): void;
}
