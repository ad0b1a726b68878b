import type { Connection } from "../open/connection.js";
import { deleteJournal, persistJournal } from "./persistent-journal.js";

/** The one connection that writes to a database, opened when it is first needed. */
export class Writer {
  #connection: Promise<Connection> | null = null;

  constructor(private readonly open: () => Promise<Connection>) {}

  /** Errors are those of opening it; the next call tries again. */
  async connection(): Promise<Connection> {
    this.#connection ??= this.#open();
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = null;
      throw error;
    }
  }

  /** Is it this connection, and was it not let go? */
  async isOpenAs(connection: Connection): Promise<boolean> {
    return (await this.#connection) === connection;
  }

  /** Lets the connection go, as it is: the file under its name may be another by now. */
  async renew(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.then((open) => open.close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    // Who reads at this moment may be in the way; an empty journal does no harm.
    await this.#connection?.then(deleteJournal).catch(() => undefined);
    await this.renew();
  }

  async #open(): Promise<Connection> {
    const connection = await this.open();
    // Where another process is in the way, it is done without.
    await persistJournal(connection).catch(() => undefined);
    return connection;
  }
}
