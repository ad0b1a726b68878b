import { createHmac } from "node:crypto";
import type { RecordedRequest } from "./cases.js";
import { showJson, type Json } from "./lossless-json.js";

/** Signs as the published rules say, independently of the product's own code. */
export function sign(payload: Json, namespace: string, secret: string): string {
  const segment = Buffer.from(showJson(payload)).toString("base64url");
  const key = createHmac("sha256", secret).update(`rowhouse:${namespace}`).digest();
  return `${segment}.${createHmac("sha256", key).update(segment).digest("base64url")}`;
}

/** The `Authorization` header for the request's token payload, if it has one. */
export function authorization(request: RecordedRequest, secret: string, now: number): string | null {
  if (request.token === undefined) return null;
  const payload = withTimes(request.token, now);
  const namespace = request.token_namespace ?? "token";
  return `Bearer rhtok_${sign(payload, namespace, request.token_secret ?? secret)}`;
}

/** The `Cookie` header of a request: its own cookies and the signed actor. */
export function cookies(request: RecordedRequest, secret: string, now: number): string | null {
  const pairs = Object.entries(request.cookies ?? {});
  if (request.actor !== undefined) pairs.push(["rowhouse_actor", actorCookie(request, secret, now)]);
  return pairs.length > 0 ? pairs.map(([name, value]) => `${name}=${value}`).join("; ") : null;
}

function actorCookie(request: RecordedRequest, secret: string, now: number): string {
  const { actor = null, actor_expires: expires } = request;
  if (expires === undefined) return sign({ a: actor }, "actor", secret);
  return sign({ a: actor, e: base62(Number(withTimes(expires, now))) }, "actor", secret);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";

/** A Unix time as cookies carry it: 1700000000 is `BrDBeq`. */
function base62(seconds: number): string {
  const rest = Math.floor(seconds / 62);
  return (rest > 0 ? base62(rest) : "") + DIGITS.charAt(seconds % 62);
}

const TIME = /^\{\{now([+-]\d+)?\}\}$/;

/** The seconds of `{{now}}`, `{{now+60}}` or `{{now-60}}`; null for other texts. */
export function placeholderTime(text: string, now: number): number | null {
  const match = TIME.exec(text);
  return match === null ? null : now + Number(match[1] ?? 0);
}

function withTimes(value: Json, now: number): Json {
  if (typeof value === "string") return placeholderTime(value, now) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withTimes(item, now));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTimes(item as Json, now)]));
}
