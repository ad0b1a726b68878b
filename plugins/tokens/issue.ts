import { Forbidden, type Actor, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import type { TokenGrants } from "rowhouse/plugin-api/contracts";
import type { TokenRegistry } from "./registry/registry.js";
import { nowSeconds, TOKEN_NAMESPACE, TOKEN_PREFIX, payloadOf, type TokenPayload } from "./payload.js";

/** A token and its payload. */
export interface IssuedToken {
  readonly token: string;
  readonly payload: TokenPayload;
}

/**
 * @param secondsAgo when the token was created
 * @throws RangeError if `expiresAfter` is given and not a positive integer
 */
export function issueToken(
  rowhouse: Rowhouse,
  actorId: string,
  grants: TokenGrants,
  secondsAgo = 0,
): IssuedToken {
  const payload = payloadOf(actorId, grants, {
    nowSeconds: nowSeconds() - secondsAgo,
    permissions: rowhouse.permissions.registered,
  });
  return { token: TOKEN_PREFIX + rowhouse.sign(payload, TOKEN_NAMESPACE), payload };
}

/**
 * Adds a new token to the registry. Equal tokens of one second would be the same, and revoked together, so a token that is
 * known already is dated back.
 *
 * @throws RangeError if `expiresAfter` is given and not a positive integer
 */
export async function issueRegistered(
  rowhouse: Rowhouse,
  registry: TokenRegistry,
  {
    actorId,
    grants,
    name,
  }: { readonly actorId: string; readonly grants: TokenGrants; readonly name: string },
): Promise<IssuedToken> {
  for (let secondsAgo = 0; ; secondsAgo += 1) {
    const issued = issueToken(rowhouse, actorId, grants, secondsAgo);
    if (await registry.add(issued.token, issued.payload, name)) return issued;
  }
}

/** Sends the event `create-token`. @param actor null for tokens that a program created */
export async function reportToken(
  rowhouse: Rowhouse,
  actor: Actor | null,
  grants: TokenGrants,
): Promise<void> {
  await rowhouse.serviceIfAny("events")?.track({
    name: "create-token",
    actor,
    created: new Date(),
    expires_after: grants.expiresAfter ?? null,
    restrict_all: grants.restrictAll ?? [],
    restrict_database: grants.restrictDatabase ?? {},
    restrict_resource: grants.restrictResource ?? {},
  });
}

/** An actor that may create tokens. */
export type TokenHolder = Actor & { readonly id: string };

const REFUSALS = {
  create: {
    anonymous: "You must be logged in to create a token",
    withoutId: "You must be logged in as an actor with an ID to create a token",
    byToken: "Token authentication cannot be used to create additional tokens",
    restricted: "Restricted actors cannot create tokens, which could do more",
  },
  manage: {
    anonymous: "You must be logged in to see or revoke your tokens",
    withoutId: "You must be logged in as an actor with an ID to see or revoke your tokens",
    byToken: "Token authentication cannot be used to see or revoke tokens: sign in instead",
    restricted: "Restricted actors cannot see or revoke tokens",
  },
} as const;

/**
 * The actor of a request for tokens.
 *
 * @throws Forbidden for actors that may not have tokens
 */
export function tokenHolder(
  { rowhouse, actor }: Pick<Visit, "rowhouse" | "actor">,
  purpose: keyof typeof REFUSALS,
): TokenHolder {
  if (!rowhouse.setting("allow_signed_tokens")) {
    throw new Forbidden("Signed tokens are not enabled for this Rowhouse instance");
  }
  const obstacle = obstacleOf(actor);
  if (obstacle !== null) throw new Forbidden(REFUSALS[purpose][obstacle]);
  return actor as TokenHolder;
}

/** True for actors that {@link tokenHolder} returns. */
export const isTokenHolder = (rowhouse: Rowhouse, actor: Actor | null): actor is TokenHolder =>
  rowhouse.setting("allow_signed_tokens") && obstacleOf(actor) === null;

/** Why an actor may not have tokens; null if nothing is against it. */
function obstacleOf(actor: Actor | null): keyof (typeof REFUSALS)["create"] | null {
  if (actor === null) return "anonymous";
  // Tokens store the id as text, so an id of another type would be confused with a text.
  if (typeof actor.id !== "string" || actor.id === "") return "withoutId";
  if (actor["token"]) return "byToken";
  // A plugin or a cookie can restrict an actor as tokens are restricted.
  return Object.hasOwn(actor, "_r") ? "restricted" : null;
}
