import { Forbidden } from "rowhouse/plugin-api";
import type { Actor, Rowhouse, TokenGrants, Visit } from "rowhouse/plugin-api";
import { nowSeconds, TOKEN_NAMESPACE, TOKEN_PREFIX, payloadOf } from "./payload.js";
import type { TokenPayload } from "./payload.js";

/** A finished token and what it says. */
export interface IssuedToken {
  readonly token: string;
  readonly payload: TokenPayload;
}

/** @throws RangeError when `expiresAfter` is given and not a positive whole number */
export function issueToken(rowhouse: Rowhouse, actorId: string, grants: TokenGrants): IssuedToken {
  const payload = payloadOf(actorId, grants, {
    nowSeconds: nowSeconds(),
    permissions: rowhouse.permissions.registered,
  });
  return { token: TOKEN_PREFIX + rowhouse.sign(payload, TOKEN_NAMESPACE), payload };
}

/** Tells whoever keeps track that a token was made; `actor` is null where a program made it. */
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

/** Somebody who may have tokens of their own. */
export type TokenHolder = Actor & { readonly id: string };

/**
 * Who is asking for a token, or after theirs.
 *
 * @throws Forbidden for whoever may not have one
 */
export function tokenHolder({ rowhouse, actor }: Pick<Visit, "rowhouse" | "actor">): TokenHolder {
  if (!rowhouse.setting("allow_signed_tokens")) {
    throw new Forbidden("Signed tokens are not enabled for this Rowhouse instance");
  }
  if (actor === null) throw new Forbidden("You must be logged in to create a token");
  if (!hasId(actor)) throw new Forbidden("You must be logged in as an actor with an ID to create a token");
  if (actor["token"]) {
    throw new Forbidden("Token authentication cannot be used to create additional tokens");
  }
  return actor;
}

/** A token names its actor by text; an id of another type could not be told from the text that looks like it. */
const hasId = (actor: Actor): actor is TokenHolder => typeof actor.id === "string" && actor.id !== "";
