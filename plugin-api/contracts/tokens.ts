import type { Collect } from "../hooks.js";
import type { Actor } from "../permissions.js";
import type { Awaitable } from "../hooks.js";

/** A kind of token: how it is made, and how it is read. */
export interface TokenHandler {
  readonly name: string;
  /** Left out where these tokens are made elsewhere. */
  createToken?(actorId: string, grants: TokenGrants): Awaitable<string>;
  /**
   * Who the token of an `Authorization: Bearer` header stands for; null when it is none of this kind.
   * @throws BadSignature when it is, but is not to be trusted (any more): the request then has no token
   */
  verifyToken(token: string): Awaitable<Actor | null>;
}

/** What the bundled `tokens` plugin offers to everyone else. */
export interface Tokens {
  /**
   * Makes a token that acts for `actorId`: with the handler of this name, else with the first that makes any.
   * Without one from elsewhere that is `signed`: stateless, of the form `rhtok_<payload>.<signature>`, no
   * setting consulted, no action checked.
   *
   * @throws RangeError when `expiresAfter` is not a positive integer
   */
  createToken(actorId: string, grants?: TokenGrants, handler?: string): Promise<string>;
}

/** What a token may do: nothing its actor may not, and only these actions where any are listed. */
export interface TokenGrants {
  /** Seconds from now; absent means the token never expires. */
  readonly expiresAfter?: number;
  readonly restrictAll?: readonly string[];
  readonly restrictDatabase?: Readonly<Record<string, readonly string[]>>;
  readonly restrictResource?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The token may do what is listed and nothing else, even when nothing is listed. */
  readonly restricted?: true;
}

declare module "../hooks.js" {
  interface HookTable {
    /** At each request with a bearer token, and when one is made: kinds of tokens beside the signed ones. */
    register_token_handler: Collect<Readonly<Record<never, never>>, TokenHandler>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    tokens: Tokens;
  }
  interface Settings {
    allow_signed_tokens: boolean;
    /** Seconds; 0 is no limit. */
    max_signed_tokens_ttl: number;
    /** A listed `view-table` opens its database's page and the home page as well, and so on upwards. */
    restrictions_imply_parents: boolean;
  }
}
