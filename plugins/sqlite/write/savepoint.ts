import type { Connection } from "../open/connection.js";

/**
 * Where a transaction of several works goes back to when the work at hand fails. The first work needs no
 * savepoint: to take it back is to end the transaction. Of the others each has one, which costs one statement more a work,
 * since the one before is let go in the same breath.
 */
export class Savepoint {
  #state: "beginning" | "behind" | "at savepoint" | "past savepoint" = "beginning";

  constructor(private readonly connection: Connection) {}

  /** Before each work. */
  async prepare(): Promise<void> {
    if (this.#state === "behind") await this.connection.exec("savepoint work");
    if (this.#state === "past savepoint") await this.connection.exec("release work; savepoint work");
    if (this.#state !== "beginning") this.#state = "at savepoint";
  }

  /** The work at hand is to stay. */
  goOn(): void {
    this.#state = this.#state === "beginning" ? "behind" : "past savepoint";
  }

  /** Takes the work at hand back; where it is the first, the transaction ends with it. */
  async goBack(): Promise<void> {
    await this.connection.exec(this.#state === "beginning" ? "rollback" : "rollback to work");
  }

  /** The same; false when SQLite has already rolled everything back (RAISE(ROLLBACK), a full disk). */
  async tryToGoBack(): Promise<boolean> {
    try {
      await this.goBack();
      return true;
    } catch {
      await this.connection.exec("rollback").catch(() => undefined);
      return false;
    }
  }
}
