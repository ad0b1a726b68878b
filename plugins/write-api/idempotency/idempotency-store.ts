import { createHash } from "node:crypto";
import { jsonText, reply, WriteRejected, type Reply, type Transaction } from "rowhouse/plugin-api";
import { decryptText, encryptText } from "rowhouse/plugin-api/access";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { textOfBody } from "rowhouse/plugin-api/http";
import type { WriteContext } from "../target/write-access.js";

/**
 * The table of stored replies. It is in the database that is written to, so that the write and its reply are committed in
 * the same transaction. It is created when the first key is used. Replies contain rows of other tables, so they are
 * encrypted: reading the table with SQL does not reveal them. Its prefix makes it private: see `isPrivateTable`.
 */
const REPLY_TABLE = "_rowhouse_idempotency";

const createReplyTable = ({ definitions }: Dialect): string => `CREATE TABLE IF NOT EXISTS ${REPLY_TABLE} (
   key TEXT PRIMARY KEY,
   request TEXT NOT NULL,
   status INTEGER NOT NULL,
   reply TEXT NOT NULL,
   created INTEGER NOT NULL
)${definitions.keyedTable}`;

/** The reply to a request, new or stored. */
export interface OnceReply {
  readonly reply: Reply;
  /** False if the reply is that of an earlier request. */
  readonly isNew: boolean;
}

/**
 * Returns the stored reply of the first request with this key, or runs `produce` and stores its reply. Both happen in the
 * transaction of the write: a write that fails stores no reply, and its key can be used again.
 *
 * @throws WriteRejected (422) if the key was used for another request, and any error of `produce`
 */
export async function replyOnce(
  dialect: Dialect,
  transaction: Transaction,
  once: IdempotentRequest,
  produce: () => Promise<Reply>,
): Promise<OnceReply> {
  const now = Math.floor(Date.now() / 1000);
  const earlier = await storedReply(dialect, transaction, once, now);
  if (earlier !== null) return { reply: earlier, isNew: false };
  // Before the write, so that the same request in another process waits here. It then begins again, and finds the reply.
  const claim = `insert into ${REPLY_TABLE} values (?, ?, 0, '', ?) on conflict do nothing`;
  await transaction.run(claim, [once.key, once.request, now]);
  const made = await produce();
  await transaction.run(`update ${REPLY_TABLE} set status = ?, reply = ? where key = ?`, [
    made.status,
    encryptText(await textOfBody(made.body), once.encryptionKey),
    once.key,
  ]);
  return { reply: made, isNew: true };
}

async function storedReply(
  dialect: Dialect,
  transaction: Transaction,
  { key, request, encryptionKey, retentionSeconds }: IdempotentRequest,
  now: number,
): Promise<Reply | null> {
  if (!(await transaction.schema()).tables.has(REPLY_TABLE)) {
    await transaction.run(createReplyTable(dialect));
    await transaction.run(`CREATE INDEX IF NOT EXISTS ${REPLY_TABLE}_created ON ${REPLY_TABLE} (created)`);
    return null;
  }
  await transaction.run(`delete from ${REPLY_TABLE} where created <= ?`, [now - retentionSeconds]);
  const sql = `select request, status, reply from ${REPLY_TABLE} where key = ?`;
  const [row] = (await transaction.all(sql, [key])).rows;
  if (row === undefined) return null;
  const [earlierRequest, status, body] = row;
  if (earlierRequest !== request) {
    throw new WriteRejected(["This Idempotency-Key was used for another request"], 422);
  }
  return reply.json(decryptText(String(body), encryptionKey), Number(status), {
    "idempotency-replayed": "true",
  });
}

/** A request that takes effect only once, even if it is sent several times. */
export interface IdempotentRequest {
  /** Digest of the header and the actor, so that actors cannot use each other's keys. */
  readonly key: string;
  /** Digest of the content of the request. */
  readonly request: string;
  /** Key that encrypts the stored reply, derived from the request: only the same request can decrypt it. */
  readonly encryptionKey: Buffer;
  /** Seconds after which the stored reply is deleted. */
  readonly retentionSeconds: number;
}

const SECONDS_IN_HOUR = 3600;

/**
 * Reads the header `Idempotency-Key`.
 *
 * @param bodyDigest digest of the body as it was sent
 * @returns null without the header
 * @throws WriteRejected
 */
export function readIdempotencyKey(
  { rowhouse, request, actor }: WriteContext,
  bodyDigest: string,
): IdempotentRequest | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw new WriteRejected(["Idempotency-Key must be 1 to 255 ASCII characters"]);
  }
  const { method, path, queryString } = request;
  const sender = [actor?.id ?? null, header];
  // The reply may contain what a token with other restrictions may not view.
  const restrictions = actor?.["_r"] === undefined ? [] : [actor["_r"]];
  const content = [method, path, queryString, bodyDigest, ...restrictions];
  return {
    key: digestOf(jsonText(sender)),
    request: digestOf(jsonText(content)),
    encryptionKey: createHash("sha256")
      .update(jsonText([sender, content]))
      .digest(),
    retentionSeconds: rowhouse.setting("idempotency_key_hours") * SECONDS_IN_HOUR,
  };
}

/** The digest of a body or of other content. */
export const digestOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("base64url");
