import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { objectWith, type Awaitable } from "../kernel/hook-results.js";
import type { Actor } from "../access/permissions.js";

/** A kind of token: creates and verifies tokens. */
export interface TokenHandler {
  readonly name: string;
  /** Absent if these tokens are created elsewhere. A handler that creates tokens applies their `grants` in `verifyToken`. */
  createToken?(actorId: string, grants: TokenGrants): Awaitable<string>;
  /**
   * The actor of a token from an `Authorization: Bearer` header; null for tokens of other kinds.
   * It gets the member `token` with the name of the handler, unless it has one: such actors cannot create tokens. The
   * actor may do only what the grants of its token list if it comes from `restrictedActor(actor, grants)`.
   *
   * @throws BadSignature for a forged, expired or revoked token of this kind: it is ignored
   */
  verifyToken(token: string): Awaitable<Actor | null>;
}

/** The service `tokens`. */
export interface Tokens {
  /**
   * Creates a token for an actor, with the handler of this name or with the first one that creates tokens. The bundled
   * handler `signed` creates stateless tokens `rhtok_<payload>.<signature>`. It does not check settings or the names of
   * actions.
   *
   * @throws RangeError if `expiresAfter` is not a positive integer
   */
  createToken(actorId: string, grants?: TokenGrants, handler?: string): Promise<string>;
}

/** The restrictions of a token. It never allows more than its actor has; with listed actions it allows only these. */
export interface TokenGrants {
  /** Seconds from now; absent means the token never expires. */
  readonly expiresAfter?: number;
  readonly restrictAll?: readonly string[];
  readonly restrictDatabase?: Readonly<Record<string, readonly string[]>>;
  readonly restrictResource?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The token allows only listed actions, also if none is listed. */
  readonly restricted?: true;
}

/** The hooks of the plugin that owns this contract. */
export const tokenHooks = defineHooks({
  /**
   * At start, each request with a bearer token, and each call of `createToken` of the service `tokens`: further kinds of tokens. The
   * page and the command that create tokens create signed ones. Return the actor of a token with `restrictedActor` of
   * `rowhouse/plugin-api/access` if it was created with restrictions.
   */
  register_token_handler: hook.collect<Nothing, TokenHandler>({
    affects: "nothing",
    expects: objectWith(
      "a token handler with name and the functions verifyToken, and createToken if any",
      { name: "string", verifyToken: "function" },
      { createToken: "function" },
    ),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof tokenHooks> {}
}

/** The settings of the plugin tokens. */
export const tokensSettings = defineSettings({
  allow_signed_tokens: { default: true, help: "Allow users to create and use signed API tokens" },
  /** Seconds; 0 is no limit. */
  max_signed_tokens_ttl: { default: 0, help: "Maximum allowed expiry time for signed API tokens" },
  refuse_invalid_tokens: {
    default: false,
    help: "Answer requests with an invalid API token with 401, instead of treating them as anonymous",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Services {
    tokens: Tokens;
  }
  interface Settings extends SettingsOf<typeof tokensSettings> {}
}
