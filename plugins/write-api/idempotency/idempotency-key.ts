import { createHash } from "node:crypto";
import { jsonText, WriteRejected } from "rowhouse/plugin-api";
import type { WriteContext } from "../target/write-access.js";

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

/** The same for a request whose body is in memory. @throws WriteRejected, PayloadTooLarge */
export async function readIdempotencyKeyWithBody(visit: WriteContext): Promise<IdempotentRequest | null> {
  if (visit.request.headers["idempotency-key"] === undefined) return null;
  return readIdempotencyKey(visit, digestOf(await visit.request.body()));
}

const digestOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("base64url");
