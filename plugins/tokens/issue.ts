import type { Actor, Rowhouse, TokenGrants } from "rowhouse/plugin-api";
import { nowSeconds } from "./clock.js";
import { TOKEN_NAMESPACE, TOKEN_PREFIX, payloadOf } from "./payload.js";
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
