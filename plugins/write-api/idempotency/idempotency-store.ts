import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { WriteRejected, reply } from "rowhouse/plugin-api";
import type { Opinion, PermissionCheck, Reply, Transaction } from "rowhouse/plugin-api";
import type { OnceOnly } from "./idempotency-key.js";

/**
 * The table that keeps replies. It lies in the database that is written to, so that a reply and what it tells of are
 * there both or not at all. Made when the first key is used. Who reads the file otherwise, with SQL say, finds no
 * rows of other tables in it: the replies are sealed.
 */
const KEPT_REPLIES = "_rowhouse_idempotency";

/** Is this the table of kept replies? It is nobody's to read or write. */
export const isKept = (table: string): boolean =>
  table.length === KEPT_REPLIES.length && table.toLowerCase() === KEPT_REPLIES;

/** Nobody views the table of kept replies: rows of other tables lie there. */
export const closed = ({ action, resource }: PermissionCheck): Opinion | null =>
  action === "view-table" && Array.isArray(resource) && isKept(String(resource[1]))
    ? { allowed: false, because: "it keeps replies for Idempotency-Key" }
    : null;

const TABLE = `CREATE TABLE ${KEPT_REPLIES} (
   key TEXT PRIMARY KEY,
   request TEXT NOT NULL,
   status INTEGER NOT NULL,
   reply TEXT NOT NULL,
   created INTEGER NOT NULL
) WITHOUT ROWID`;

/** What came of a request, this time or before. */
export interface Answered {
  readonly reply: Reply;
  /** False where an earlier request had done the work already. */
  readonly isNew: boolean;
}

/**
 * Answers as the first request with this key was answered; the first one is carried out. All inside one transaction:
 * a write that fails keeps no reply, and its key may be used again.
 *
 * @throws WriteRejected (422) when the key was used for another request; and whatever `produce` throws
 */
export async function answerOnce(
  transaction: Transaction,
  once: OnceOnly,
  produce: () => Promise<Reply>,
): Promise<Answered> {
  const now = Math.floor(Date.now() / 1000);
  const earlier = await keptReply(transaction, once, now);
  if (earlier !== null) return { reply: earlier, isNew: false };
  const made = await produce();
  await transaction.run(`insert or replace into ${KEPT_REPLIES} values (?, ?, ?, ?, ?)`, [
    once.key,
    once.request,
    made.status,
    encrypted(String(made.body), once.seal),
    now,
  ]);
  return { reply: made, isNew: true };
}

async function keptReply(
  transaction: Transaction,
  { key, request, seal, keptSeconds }: OnceOnly,
  now: number,
): Promise<Reply | null> {
  if (!(await transaction.schema()).tables.has(KEPT_REPLIES)) {
    await transaction.run(TABLE);
    await transaction.run(`CREATE INDEX ${KEPT_REPLIES}_created ON ${KEPT_REPLIES} (created)`);
    return null;
  }
  await transaction.run(`delete from ${KEPT_REPLIES} where created <= ?`, [now - keptSeconds]);
  const sql = `select request, status, reply from ${KEPT_REPLIES} where key = ?`;
  const [row] = (await transaction.all(sql, [key])).rows;
  if (row === undefined) return null;
  const [askedThen, status, body] = row;
  if (askedThen !== request) {
    throw new WriteRejected(["This Idempotency-Key was used for another request"], 422);
  }
  return reply.json(decrypted(String(body), seal), Number(status), { "idempotency-replayed": "true" });
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Text that only who has the key of 32 bytes can read. */
export function encrypted(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString("base64");
}

/** The text again. @throws Error for another key, or text that was tampered with */
export function decrypted(seal: string, key: Buffer): string {
  const bytes = Buffer.from(seal, "base64");
  const tagAt = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagAt));
  return Buffer.concat([decipher.update(bytes.subarray(tagAt)), decipher.final()]).toString("utf8");
}
