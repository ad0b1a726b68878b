import { createHmac, timingSafeEqual } from "node:crypto";
import { BadSignature } from "../errors/classes.js";

const ALPHABET = /^[A-Za-z0-9_-]+$/;

/**
 * Signs JSON values: `base64url(JSON) + "." + base64url(HMAC-SHA256(key, segment))`, where
 * `key = HMAC-SHA256(secret, "rowhouse:" + namespace)`. The secrets never leave this object. `rowhouse.sign` and
 * `rowhouse.unsign` use the one of the server.
 *
 * @example
 * const signer = new Signer(["a secret of at least thirty-two bytes"]);
 * signer.unsign(signer.sign({ id: 1 }, "notes"), "notes"); // { id: 1 }
 */
export class Signer {
  readonly #secrets: readonly [string, ...string[]];
  readonly #keys = new Map<string, readonly Buffer[]>();

  /** The first secret signs; signatures of all are accepted. */
  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets;
  }

  sign(value: unknown, namespace: string): string {
    const segment = Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
    const [key] = this.#keysFor(namespace);
    return `${segment}.${signature(key ?? Buffer.alloc(0), segment).toString("base64url")}`;
  }

  /** @throws BadSignature for every kind of failure, without details */
  unsign(signed: string, namespace: string): unknown {
    const dot = signed.lastIndexOf(".");
    const segment = signed.slice(0, Math.max(dot, 0));
    const given = signed.slice(dot + 1);
    if (!ALPHABET.test(segment) || !ALPHABET.test(given)) throw new BadSignature();
    const bytes = Buffer.from(given, "base64url");
    // The last character has unused bits; without this check, a changed signature could pass.
    if (bytes.toString("base64url") !== given) throw new BadSignature();
    const matches = this.#keysFor(namespace).map((key) => sameBytes(bytes, signature(key, segment)));
    if (!matches.includes(true)) throw new BadSignature();
    try {
      return JSON.parse(Buffer.from(segment, "base64url").toString("utf8"));
    } catch {
      throw new BadSignature();
    }
  }

  /** Kept, because to derive a key takes as long as to check a signature. */
  #keysFor(namespace: string): readonly Buffer[] {
    const known = this.#keys.get(namespace);
    if (known !== undefined) return known;
    const keyOf = (secret: string): Buffer =>
      createHmac("sha256", secret).update(`rowhouse:${namespace}`).digest();
    const keys = this.#secrets.map(keyOf);
    if (this.#keys.size >= MAX_NAMESPACES) this.#keys.clear();
    this.#keys.set(namespace, keys);
    return keys;
  }
}

/** Almost all servers use a few. A plugin may make a namespace of each of its values. */
const MAX_NAMESPACES = 100;

const signature = (key: Buffer, segment: string): Buffer =>
  createHmac("sha256", key).update(segment, "ascii").digest();

const sameBytes = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
