import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

// A multiple of three: base64 then has no bits to spare, so that no two texts mean the same.
const LENGTH_BYTES = 18;
const MASKED = new RegExp(`^[\\w-]{${(LENGTH_BYTES * 8) / 3}}$`);

/**
 * What a form carries of a token: its fingerprint under a mask that is used once. The text differs from page to
 * page, so that the length of compressed pages tells nothing about the token.
 */
export function maskedToken(token: string): string {
  const mask = randomBytes(LENGTH_BYTES);
  return Buffer.concat([mask, applied(mask, fingerprintOf(token))]).toString("base64url");
}

/** Was this text made from the token, or is it the token itself? Takes equally long for any that is not. */
export function isOfToken(given: string, token: string): boolean {
  if (!MASKED.test(given)) return isSame(Buffer.from(given), Buffer.from(token));
  const bytes = Buffer.from(given, "base64url");
  const mask = bytes.subarray(0, LENGTH_BYTES);
  return isSame(applied(mask, bytes.subarray(LENGTH_BYTES)), fingerprintOf(token));
}

const fingerprintOf = (token: string): Buffer =>
  createHash("sha256").update(token).digest().subarray(0, LENGTH_BYTES);

const applied = (mask: Buffer, bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, place) => byte ^ (mask[place] ?? 0)));

const isSame = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
