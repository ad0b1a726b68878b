import { BadSignature } from "rowhouse/plugin-api";
import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import { RefusedPayload, TOKEN_NAMESPACE, TOKEN_PREFIX, actorOfPayload } from "./payload.js";

/** The token of an `Authorization` header, without its prefix; null when it holds none of ours. */
export function bearerToken(header: string | undefined): string | null {
  const scheme = `Bearer ${TOKEN_PREFIX}`;
  return header?.startsWith(scheme) === true ? header.slice(scheme.length) : null;
}

/**
 * The actor a request's bearer token stands for. A token that is refused makes nobody: the request goes on,
 * perhaps with a cookie, else anonymous.
 */
export async function actorFromBearer(rowhouse: Rowhouse, request: Request): Promise<Actor | null> {
  if (!rowhouse.setting("allow_signed_tokens")) return null;
  const signed = bearerToken(request.headers["authorization"]);
  if (signed === null) return null;
  try {
    const payload = rowhouse.unsign(signed, TOKEN_NAMESPACE);
    return actorOfPayload(payload, nowSeconds(), rowhouse.setting("max_signed_tokens_ttl"));
  } catch (error) {
    if (!(error instanceof BadSignature || error instanceof RefusedPayload)) throw error;
    await reportRefusal(rowhouse, error.message);
    return null;
  }
}

/** The current time in whole seconds since 1970. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const reportRefusal = async (rowhouse: Rowhouse, reason: string): Promise<void> =>
  rowhouse.serviceIfAny("events")?.track({ name: "refuse-token", actor: null, created: new Date(), reason });
