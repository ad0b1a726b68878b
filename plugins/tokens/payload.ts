import { isObject } from "rowhouse/plugin-api";
import type { Actor, Permission, TokenGrants } from "rowhouse/plugin-api";

/** What every API token begins with. */
export const TOKEN_PREFIX = "rhtok_";
/** The namespace tokens are signed in. */
export const TOKEN_NAMESPACE = "token";
/** Clocks of two servers may differ by this much; a token from further ahead would outlive its limit. */
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

/** Actions by where they are allowed: everywhere, in a database, on one of its resources. */
export interface TokenRestrictions {
  readonly a?: readonly string[];
  readonly d?: Readonly<Record<string, readonly string[]>>;
  readonly r?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Why a signed payload stands for nobody. For logs and events; clients never see it. */
export class RefusedPayload extends Error {}

/**
 * The actor a payload stands for.
 *
 * @param maxLifetimeSeconds the longest any token may live; 0 is no limit
 * @throws RefusedPayload when it is malformed, from the future or over
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
 * @throws RangeError when `expiresAfter` is given and not a positive whole number
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

function restrictionsOf(grants: TokenGrants, short: (action: string) => string): TokenRestrictions | null {
  const { restrictAll = [], restrictDatabase = {}, restrictResource = {} } = grants;
  // A list that was given but names nothing still restricts: it must never widen a token.
  const isRestricted =
    grants.restricted === true ||
    restrictAll.length > 0 ||
    !isEmpty(restrictDatabase) ||
    !isEmpty(restrictResource);
  if (!isRestricted) return null;
  const shorten = (actions: readonly string[]): readonly string[] => actions.map(short);
  const byDatabase = mapValues(restrictDatabase, shorten);
  const byResource = mapValues(restrictResource, (resources) => mapValues(resources, shorten));
  return {
    ...(restrictAll.length > 0 && { a: shorten(restrictAll) }),
    ...(!isEmpty(byDatabase) && { d: byDatabase }),
    ...(!isEmpty(byResource) && { r: byResource }),
  };
}

const isEmpty = (block: object): boolean => Object.keys(block).length === 0;

/** The same keys with new values, those that came out empty left out. */
const mapValues = <Value, Mapped extends object>(
  block: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Readonly<Record<string, Mapped>> =>
  // `fromEntries`, so that a database called `__proto__` is a name like any other.
  Object.fromEntries(
    Object.entries(block)
      .map(([key, value]) => [key, map(value)] as const)
      .filter(([, mapped]) => !isEmpty(mapped)),
  );

/** The current time in whole seconds since 1970. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
