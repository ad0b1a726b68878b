/** What the bundled `tokens` plugin offers to everyone else. */
export interface Tokens {
  /**
   * Signs a token that acts for `actorId`. Stateless: settings are not consulted, actions need not exist.
   *
   * @returns text of the form `rhtok_<payload>.<signature>`
   * @throws RangeError when `expiresAfter` is not a positive integer
   */
  createToken(actorId: string, grants?: TokenGrants): Promise<string>;
}

export interface TokenGrants {
  /** Seconds from now; absent means the token never expires. */
  readonly expiresAfter?: number;
  readonly restrictAll?: readonly string[];
  readonly restrictDatabase?: Readonly<Record<string, readonly string[]>>;
  readonly restrictResource?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The token may do what is listed and nothing else, even when nothing is listed. */
  readonly restricted?: true;
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
