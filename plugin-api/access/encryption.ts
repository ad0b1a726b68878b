import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with a key of 32 bytes.
 *
 * @example
 * encryptText("a value", Buffer.alloc(32)).length; // 48
 */
export function encryptText(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString("base64");
}

/**
 * Decrypts what `encryptText` returned.
 *
 * @example
 * decryptText(encryptText("a value", Buffer.alloc(32)), Buffer.alloc(32)); // "a value"
 * @throws Error for a wrong key or a modified text
 */
export function decryptText(seal: string, key: Buffer): string {
  const bytes = Buffer.from(seal, "base64");
  const tagAt = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagAt));
  return Buffer.concat([decipher.update(bytes.subarray(tagAt)), decipher.final()]).toString("utf8");
}
