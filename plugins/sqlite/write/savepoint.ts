import type { Connection } from "../open/connection.js";

/**
 * Rolls back single writes of a transaction that several writes share.
 *
 * The first write needs no savepoint: to roll it back ends the transaction. Each further write has one. It replaces the
 * savepoint of the write before in the same call, so it costs one call of the driver per write.
 */
export class Savepoint {
  #isFirstWrite = true;
  #isSet = false;

  constructor(private readonly connection: Connection) {}

  /** Call this before each write. */
  async set(): Promise<void> {
    if (this.#isFirstWrite) return;
    await this.connection.exec(this.#isSet ? "release work; savepoint work" : "savepoint work");
    this.#isSet = true;
  }

  /** The write remains part of the transaction. */
  keep(): void {
    this.#isFirstWrite = false;
  }

  /** Rolls the write back. @throws DriverError if SQLite has already rolled back the transaction */
  async rollBack(): Promise<void> {
    await this.connection.exec(this.#isFirstWrite ? "rollback" : "rollback to work");
  }

  /** Like `rollBack`. @returns false if SQLite has already rolled back the transaction (RAISE(ROLLBACK), a full disk) */
  async tryRollBack(): Promise<boolean> {
    try {
      await this.rollBack();
      return true;
    } catch {
      await this.connection.exec("rollback").catch(() => undefined);
      return false;
    }
  }
}
