import type { Actor, Chain, Decision, Permission, Resource } from "../permissions.js";

/** Decides the checks of `rowhouse.permissions`. Without this service every permission is denied. */
export interface Authorizer {
  readonly registered: ReadonlyMap<string, Permission>;
  /** The latest decisions, newest first. */
  readonly decisions: readonly Decision[];
  /** Called once at start. @throws StartupError if two different permissions have one name or abbreviation */
  register(permissions: readonly Permission[]): void;
  decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision>;
  /** @throws Forbidden with `refusal`, or with the name of the denied action */
  require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void>;
  /** For each chain, whether it allows the actor. */
  visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]>;
}

declare module "../rowhouse.js" {
  interface Settings {
    /** False: `execute-sql` is denied by default. */
    default_allow_sql: boolean;
    /** Names that do not exist get the same reply as hidden ones, if anything is hidden from the actor. */
    conceal_missing: boolean;
  }
  interface Services {
    authorizer: Authorizer;
  }
  interface Options {
    /** Every permission is denied by default. */
    defaultDeny: boolean;
  }
}
