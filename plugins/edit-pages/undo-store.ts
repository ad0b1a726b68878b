import { createHash, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { jsonText, type Actor, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { decryptText, encryptText } from "rowhouse/plugin-api/access";

const TABLE = "undo_operations";
const CREATE = `create table if not exists ${TABLE} (
  id text primary key, operations text not null, stored integer not null)`;
const KEEP_SECONDS = 3600;
/** The newest of all actors; each is at most as large as a body. */
const MOST_KEPT = 200;

const deflated = promisify<string, Buffer>(deflateRaw);
const inflated = promisify<Buffer, Buffer>(inflateRaw);

/**
 * Operations that undo changes and are too large for a cookie, in the internal database for an hour. They contain rows,
 * so they are encrypted with a key that only the button and its actor have.
 */
class UndoStore {
  constructor(private readonly database: Database) {}

  /** @returns the token by which the same actor finds the operations */
  async keep(actor: Actor, operations: string): Promise<string> {
    const token = randomBytes(24).toString("base64url");
    const packed = (await deflated(operations)).toString("base64");
    const content = encryptText(packed, keyOf(actor, token));
    const isCreated = await this.#isCreated();
    await this.database.write(async (transaction) => {
      if (!isCreated) await transaction.run(CREATE);
      const now = Math.floor(Date.now() / 1000);
      await transaction.run(`insert into ${TABLE} values (?, ?, ?)`, [idOf(actor, token), content, now]);
      await transaction.run(
        `delete from ${TABLE} where stored < ? or id not in
           (select id from ${TABLE} order by stored desc limit ${MOST_KEPT})`,
        [now - KEEP_SECONDS],
      );
    });
    return token;
  }

  /** @returns null for tokens that are unknown, of other actors, or too old */
  async find(actor: Actor | null, token: string): Promise<string | null> {
    if (actor === null || !(await this.#isCreated())) return null;
    const { rows } = await this.database.read(
      `select operations from ${TABLE} where id = ? and stored >= ?`,
      [idOf(actor, token), Math.floor(Date.now() / 1000) - KEEP_SECONDS],
    );
    const [found] = rows;
    if (found === undefined) return null;
    const packed = decryptText(String(found[0]), keyOf(actor, token));
    return (await inflated(Buffer.from(packed, "base64"))).toString();
  }

  /** Operations that were run are of no more use. */
  async forget(actor: Actor | null, token: string): Promise<void> {
    await this.database.write((transaction) =>
      transaction.run(`delete from ${TABLE} where id = ?`, [idOf(actor, token)]),
    );
  }

  async #isCreated(): Promise<boolean> {
    return (await this.database.schema()).tables.has(TABLE);
  }
}

const digest = (purpose: string, actor: Actor | null, token: string): Buffer =>
  createHash("sha256")
    .update(jsonText([purpose, actor?.id ?? null, token]))
    .digest();

const idOf = (actor: Actor | null, token: string): string => digest("id", actor, token).toString("base64url");
const keyOf = (actor: Actor | null, token: string): Buffer => digest("key", actor, token);

/** Null where no database is shared by all processes, so that a button would work only sometimes. */
export function undoStoreOf(rowhouse: Rowhouse): UndoStore | null {
  const isShared = rowhouse.option("workers") === undefined || rowhouse.option("internal") !== undefined;
  const database = rowhouse.databases.get("_internal");
  return isShared && database !== undefined ? new UndoStore(database) : null;
}
