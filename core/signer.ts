import { createHmac, timingSafeEqual } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api";

const ALPHABET = /^[A-Za-z0-9_-]+$/;

/**
 * Signs JSON values: `base64url(JSON) + "." + base64url(HMAC-SHA256(key, segment))`, where
 * `key = HMAC-SHA256(secret, "rowhouse:" + namespace)`. The secrets stay in here.
 */
export class Signer {
  readonly #secrets: readonly [string, ...string[]];
  readonly #keys = new Map<string, readonly Buffer[]>();

  /** The first secret signs, all of them are accepted. */
  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets;
  }

  sign(value: unknown, namespace: string): string {
    const segment = Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
    const [key] = this.#keysFor(namespace);
    return `${segment}.${signature(key ?? Buffer.alloc(0), segment).toString("base64url")}`;
  }

  /** @throws BadSignature, whatever was wrong */
  unsign(signed: string, namespace: string): unknown {
    const dot = signed.lastIndexOf(".");
    const segment = signed.slice(0, Math.max(dot, 0));
    const given = signed.slice(dot + 1);
    if (!ALPHABET.test(segment) || !ALPHABET.test(given)) throw new BadSignature();
    const bytes = Buffer.from(given, "base64url");
    // Unused low bits of the last character would let a changed signature pass.
    if (bytes.toString("base64url") !== given) throw new BadSignature();
    const matches = this.#keysFor(namespace).map((key) => sameBytes(bytes, signature(key, segment)));
    if (!matches.includes(true)) throw new BadSignature();
    try {
      return JSON.parse(Buffer.from(segment, "base64url").toString("utf8"));
    } catch {
      throw new BadSignature();
    }
  }

  #keysFor(namespace: string): readonly Buffer[] {
    let keys = this.#keys.get(namespace);
    if (keys === undefined) {
      keys = this.#secrets.map((secret) =>
        createHmac("sha256", Buffer.from(secret, "utf8")).update(`rowhouse:${namespace}`, "utf8").digest(),
      );
      // Namespaces come from code, not from callers; still, never grow without bound.
      if (this.#keys.size < 1000) this.#keys.set(namespace, keys);
    }
    return keys;
  }
}

const signature = (key: Buffer, segment: string): Buffer =>
  createHmac("sha256", key).update(segment, "ascii").digest();

const sameBytes = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
