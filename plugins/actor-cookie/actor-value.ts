import { isObject, type Actor } from "rowhouse/plugin-api";

/** The signed content of the cookie: the actor and the expiry. */
export interface ActorValue {
  readonly a: Actor;
  /** Unix seconds in base 62. */
  readonly e?: string;
}

/** The content for an actor. @param expiresAt Unix seconds; null for no expiry */
export const actorValue = (actor: Actor, expiresAt: number | null): ActorValue => ({
  a: actor,
  ...(expiresAt !== null && { e: base62(expiresAt) }),
});

/** The actor of the content; null if it is malformed, empty or expired. */
export function actorOfValue(value: unknown, nowSeconds: number): Actor | null {
  if (!isObject(value)) return null;
  const { a: actor, e: expiry } = value;
  if (!isObject(actor) || Object.keys(actor).length === 0) return null;
  if (expiry === undefined || expiry === null || expiry === "") return actor;
  const expiresAt = typeof expiry === "string" ? fromBase62(expiry) : null;
  return expiresAt === null || expiresAt < nowSeconds ? null : actor;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";

/** A whole number from 0 on as text of `A-Z0-9a-z`, most significant digit first: 1700003600 is `BrDCau`. */
export function base62(number: number): string {
  let text = "";
  let rest = number;
  do {
    text = DIGITS.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text;
}

/** The number back; null for text with other characters, or beyond exact whole numbers. */
export function fromBase62(text: string): number | null {
  let number = 0;
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    if (digit < 0) return null;
    number = number * 62 + digit;
    if (!Number.isSafeInteger(number)) return null;
  }
  return number;
}
