import type { Actor, Chain, Decision, Permission, Resource } from "../permissions.js";

/** Answers what `rowhouse.permissions` is asked. Without a plugin that provides it every permission is denied. */
export interface Authorizer {
  readonly registered: ReadonlyMap<string, Permission>;
  /** The last questions, newest first. */
  readonly decisions: readonly Decision[];
  /** Told once, before anybody asks. @throws StartupError when two of them can't both be */
  register(permissions: readonly Permission[]): void;
  decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision>;
  /** @throws Forbidden with `refusal`, or the name of the action that refused */
  require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void>;
  /** Which of these chains let somebody through, in one pass. */
  visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]>;
}

declare module "../rowhouse.js" {
  interface Settings {
    /** Off: `execute-sql` is refused where nobody has an opinion. */
    default_allow_sql: boolean;
    /** Names that do not exist are refused as hidden ones are, wherever something is hidden from the visitor. */
    conceal_missing: boolean;
  }
  interface Services {
    authorizer: Authorizer;
  }
  interface Options {
    /** Every registered default is deny: what nobody grants is refused. */
    defaultDeny: boolean;
  }
}
