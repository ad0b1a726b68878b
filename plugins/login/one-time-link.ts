import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The secret of the link that signs root in; it opens once. */
export class OneTimeLink {
  readonly token = randomBytes(32).toString("hex");
  #isUsed = false;

  /** What comes of a token: `right` only the first time. */
  try(token: string): "right" | "used" | "wrong" {
    if (!timingSafeEqual(digest(token), digest(this.token))) return "wrong";
    if (this.#isUsed) return "used";
    this.#isUsed = true;
    return "right";
  }
}

/** Digests are of equal length whatever the text, which comparing in constant time needs. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
