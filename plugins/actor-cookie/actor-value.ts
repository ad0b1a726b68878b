import type { Actor } from "rowhouse/plugin-api";
import { base62, fromBase62 } from "./base62.js";

/** The signed content of the cookie: the actor, and when it stops counting. */
export interface ActorValue {
  readonly a: Actor;
  /** Unix seconds in base 62. */
  readonly e?: string;
}

/** The content for an actor; `expiresAt` in Unix seconds, null for as long as the browser keeps the cookie. */
export const actorValue = (actor: Actor, expiresAt: number | null): ActorValue => ({
  a: actor,
  ...(expiresAt !== null && { e: base62(expiresAt) }),
});

/** The actor of a cookie's content; null when it is malformed, empty or over. */
export function actorOfValue(value: unknown, nowSeconds: number): Actor | null {
  if (!isObject(value)) return null;
  const { a: actor, e: expiry } = value;
  if (!isObject(actor) || Object.keys(actor).length === 0) return null;
  if (expiry === undefined || expiry === null || expiry === "") return actor;
  const expiresAt = typeof expiry === "string" ? fromBase62(expiry) : null;
  return expiresAt === null || expiresAt < nowSeconds ? null : actor;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
