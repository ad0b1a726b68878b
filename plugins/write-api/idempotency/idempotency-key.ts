import { createHash } from "node:crypto";
import { WriteRejected, jsonText } from "rowhouse/plugin-api";
import type { WriteVisit } from "../target/authorize-write.js";

/** A request that is to take effect once, however often it is sent. */
export interface IdempotentRequest {
  /** Stands for the header and for whoever sent it: nobody meets another's keys. */
  readonly key: string;
  /** Stands for what was asked. */
  readonly request: string;
  /** What the reply is sealed with: made of what only those know who send the request again. */
  readonly encryptionKey: Buffer;
  /** Seconds that the reply is kept. */
  readonly retentionSeconds: number;
}

const SECONDS_IN_HOUR = 3600;

/**
 * What the header `Idempotency-Key` says.
 *
 * @param bodyDigest of the body as it was sent
 * @returns null where there is none
 * @throws WriteRejected
 */
export function readIdempotencyKey(
  { rowhouse, request, actor }: WriteVisit,
  bodyDigest: string,
): IdempotentRequest | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw new WriteRejected(["Idempotency-Key must be 1 to 255 ASCII characters"]);
  }
  const { method, path, queryString } = request;
  const [sender, content] = [
    [actor?.id ?? null, header],
    [method, path, queryString, bodyDigest],
  ];
  return {
    key: digestOf(jsonText(sender)),
    request: digestOf(jsonText(content)),
    encryptionKey: createHash("sha256")
      .update(jsonText([sender, content]))
      .digest(),
    retentionSeconds: rowhouse.setting("idempotency_key_hours") * SECONDS_IN_HOUR,
  };
}

/** The same for a request whose body is held in memory. @throws WriteRejected, PayloadTooLarge */
export async function readIdempotencyKeyWithBody(visit: WriteVisit): Promise<IdempotentRequest | null> {
  if (visit.request.headers["idempotency-key"] === undefined) return null;
  return readIdempotencyKey(visit, digestOf(await visit.request.body()));
}

const digestOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("base64url");
