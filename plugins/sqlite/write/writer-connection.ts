import type { Connection } from "../open/connection.js";

/** Bytes to which SQLite truncates a journal that a large transaction has left. */
const MAX_KEPT_JOURNAL_BYTES = 1_048_576;

/** The one connection that writes to a database. It is opened when it is first used. */
export class WriterConnection {
  #connection: Promise<Connection> | null = null;

  constructor(private readonly open: () => Promise<Connection>) {}

  /** Opens the connection if it is not open. Rejects with the error of opening it; the next call tries again. */
  async get(): Promise<Connection> {
    this.#connection ??= this.#open();
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = null;
      throw error;
    }
  }

  /** True if `connection` has not been replaced. */
  async isCurrent(connection: Connection): Promise<boolean> {
    return (await this.#connection) === connection;
  }

  /** Closes the connection without changing the file, which may be another one by now. */
  async renew(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.then((open) => open.close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    // A reader can prevent the deletion. An empty journal that remains does no harm.
    await this.#connection?.then(deleteJournal).catch(() => undefined);
    await this.renew();
  }

  async #open(): Promise<Connection> {
    const connection = await this.open();
    // Another process can prevent it. Writes are slower then, but correct.
    await persistJournal(connection).catch(() => undefined);
    return connection;
  }
}

/**
 * Keeps the rollback journal between transactions, without content. To create and delete the file for each transaction
 * takes a disk longer than to write it. Changes nothing if the database has a write-ahead log.
 */
async function persistJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) !== "delete") return;
  await connection.exec(
    `pragma journal_mode = persist; pragma journal_size_limit = ${MAX_KEPT_JOURNAL_BYTES}`,
  );
}

/** Deletes a journal that was kept: other programs expect none beside a file that is closed. */
async function deleteJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) === "persist") await connection.exec("pragma journal_mode = delete");
}

/** `delete`, `persist`, `wal`, ... */
export async function journalMode(connection: Connection): Promise<string> {
  const sql = "pragma journal_mode";
  const [row] = await connection.all<{ journal_mode: string }>({ sql, values: [] });
  return row?.journal_mode ?? "";
}
