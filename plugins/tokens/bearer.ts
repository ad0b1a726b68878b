import { BadSignature, PluginError } from "rowhouse/plugin-api/errors";
import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import { restrictionsOf } from "rowhouse/plugin-api/access";
import type { TokenGrants, TokenHandler } from "rowhouse/plugin-api/contracts";
import {
  nowSeconds,
  RefusedPayload,
  TOKEN_NAMESPACE,
  TOKEN_PREFIX,
  actorOfPayload,
  type TokenPayload,
} from "./payload.js";
import { issueToken, reportToken } from "./issue.js";
import type { FindRegistry } from "./registry/open.js";

/** The bundled token handler: signed, stateless tokens. */
export const signedTokens = (rowhouse: Rowhouse, findRegistry: FindRegistry): TokenHandler => ({
  name: "signed",
  createToken: (actorId, grants) => issueToken(rowhouse, actorId, grants).token,
  verifyToken: async (token) => {
    if (!rowhouse.setting("allow_signed_tokens") || !token.startsWith(TOKEN_PREFIX)) return null;
    const payload = rowhouse.unsign(token.slice(TOKEN_PREFIX.length), TOKEN_NAMESPACE);
    const actor = actorOfPayload(payload, nowSeconds(), rowhouse.setting("max_signed_tokens_ttl"));
    const registry = findRegistry();
    if ((await registry?.isRevoked(token)) === true) throw new RefusedPayload("revoked");
    registry?.noteUse(token, payload as TokenPayload);
    return actor;
  },
});

/**
 * Returns `actor_from_request`: the actor of the bearer token of a request, from the first handler that accepts it.
 * Forged, expired or revoked tokens have none: the request uses the actor cookie or is anonymous. Requests with such a
 * token of ours are added to `refused`.
 *
 * @throws PluginError if a handler fails, exceeds the time limit or returns no actor
 */
export const actorFromBearer =
  (refused: WeakSet<Request>) =>
  (rowhouse: Rowhouse, { request }: { readonly request: Request }): Promise<Actor | null> | null => {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers["authorization"] ?? "") ?? [];
    if (token === undefined) return null;
    return actorOfToken(rowhouse, token, () => {
      if (token.startsWith(TOKEN_PREFIX)) refused.add(request);
    });
  };

async function actorOfToken(rowhouse: Rowhouse, token: string, onRefusal: () => void): Promise<Actor | null> {
  const handlers = await rowhouse.hooks.register_token_handler.promise([], rowhouse, {});
  for (const handler of handlers) {
    try {
      const actor = (await handler.verifyToken(token)) ?? null;
      if (actor !== null) return asTokenActor(actor, handler);
    } catch (error) {
      if (!(error instanceof BadSignature || error instanceof RefusedPayload))
        throw withPluginName(rowhouse, handler, error);
      onRefusal();
      await reportRefusal(rowhouse, error.message);
      return null;
    }
  }
  return null;
}

/** An actor that is known to come from a token. Without the member, it could make tokens that do not expire. */
const asTokenActor = (actor: Actor, { name }: TokenHandler): Actor =>
  actor["token"] ? actor : { ...actor, token: name };

function withPluginName(rowhouse: Rowhouse, handler: TokenHandler, error: unknown): unknown {
  const plugin = rowhouse.pluginOf(handler);
  if (plugin === null || error instanceof PluginError) return error;
  return new PluginError(plugin, `the token handler ${handler.name}`, error);
}

/**
 * Creates a token with the handler of this name, else with the first one that creates tokens.
 *
 * @throws Error if there is none, and TypeError for invalid grants
 */
export async function createToken(
  rowhouse: Rowhouse,
  {
    actorId,
    grants,
    name,
  }: { readonly actorId: string; readonly grants: TokenGrants; readonly name?: string },
): Promise<string> {
  const handlers = await rowhouse.hooks.register_token_handler.promise([], rowhouse, {});
  const handler = handlers.find((one) =>
    name === undefined ? one.createToken !== undefined : one.name === name,
  );
  if (handler?.createToken === undefined)
    throw new Error(`No plugin makes tokens${name === undefined ? "" : ` of the kind ${name}`}`);
  // Throws for invalid grants, which a handler may keep until the token is used.
  restrictionsOf(grants);
  const token = await handler.createToken(actorId, grants);
  await reportToken(rowhouse, null, grants);
  return token;
}

const reportRefusal = async (rowhouse: Rowhouse, reason: string): Promise<void> =>
  rowhouse.serviceIfAny("events")?.track({ name: "refuse-token", actor: null, created: new Date(), reason });
