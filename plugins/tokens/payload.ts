import { isObject, type Actor, type Permission } from "rowhouse/plugin-api";
import { restrictionsOf, type TokenRestrictions } from "rowhouse/plugin-api/access";
import type { TokenGrants } from "rowhouse/plugin-api/contracts";

/** The prefix of every token. */
export const TOKEN_PREFIX = "rhtok_";
/** The namespace of token signatures. */
export const TOKEN_NAMESPACE = "token";
/** The tolerated difference of the clocks of two servers. Tokens from further in the future are ignored. */
const CLOCK_SKEW_SECONDS = 60;

/** The signed content of a token, keys in published order. */
export interface TokenPayload {
  readonly a: string;
  /** Unix seconds. */
  readonly t: number;
  /** Lifetime in seconds. */
  readonly d?: number;
  readonly _r?: TokenRestrictions;
}

/** Why a signed payload is ignored: a text for logs and events, which clients do not see. */
export class RefusedPayload extends Error {}

/**
 * The actor of a payload.
 *
 * @param maxLifetimeSeconds the longest lifetime of a token; 0 is no limit
 * @throws RefusedPayload if it is malformed, not valid yet or expired
 */
export function actorOfPayload(payload: unknown, nowSeconds: number, maxLifetimeSeconds: number): Actor {
  if (!isObject(payload)) throw new RefusedPayload("malformed");
  const { a: id, t: created, d: duration } = payload;
  if (typeof id !== "string" || !Number.isSafeInteger(created)) throw new RefusedPayload("malformed");
  const createdSeconds = created as number;
  if (createdSeconds < 0 || createdSeconds > nowSeconds + CLOCK_SKEW_SECONDS) {
    throw new RefusedPayload("not valid yet");
  }
  const lifetime = lifetimeSeconds(duration, maxLifetimeSeconds);
  if (lifetime !== null && (lifetime < 0 || nowSeconds - createdSeconds > lifetime)) {
    throw new RefusedPayload("expired");
  }
  return {
    id,
    token: "rhtok",
    ...(Object.hasOwn(payload, "_r") && { _r: payload["_r"] }),
    ...(lifetime !== null && { token_expires: createdSeconds + lifetime }),
  };
}

function lifetimeSeconds(duration: unknown, maxLifetimeSeconds: number): number | null {
  const limit = maxLifetimeSeconds > 0 ? maxLifetimeSeconds : null;
  if (duration === undefined || duration === null || duration === 0) return limit;
  if (!Number.isSafeInteger(duration)) throw new RefusedPayload("malformed");
  return limit === null ? (duration as number) : Math.min(duration as number, limit);
}

/**
 * The payload of a new token; actions as abbreviations where they have one.
 *
 * @throws RangeError if `expiresAfter` is given and not a positive integer
 */
export function payloadOf(
  actorId: string,
  grants: TokenGrants,
  { nowSeconds, permissions }: { nowSeconds: number; permissions: ReadonlyMap<string, Permission> },
): TokenPayload {
  const { expiresAfter } = grants;
  if (expiresAfter !== undefined && !(Number.isSafeInteger(expiresAfter) && expiresAfter > 0)) {
    throw new RangeError("expiresAfter must be a positive number of seconds");
  }
  const restrictions = restrictionsOf(grants, (action) => permissions.get(action)?.abbr || action);
  return {
    a: actorId,
    t: nowSeconds,
    ...(expiresAfter !== undefined && { d: expiresAfter }),
    ...(restrictions !== null && { _r: restrictions }),
  };
}

/** The current time in whole seconds since 1970. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
