import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Actor, Chain, Decision, Permission, Resource } from "../access/permissions.js";

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

/** The settings of the plugin permissions. */
export const permissionsSettings = defineSettings({
  /** False: `execute-sql` is denied by default. */
  default_allow_sql: {
    default: true,
    help: "Allow all actors who may view a database to run SQL on it",
    unlisted: true,
  },
  /** Names that do not exist get the same reply as hidden ones, if anything is hidden from the actor. */
  conceal_missing: {
    default: false,
    help: "Where something is hidden from a visitor, names that do not exist are refused like hidden ones",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof permissionsSettings> {}
  interface Services {
    authorizer: Authorizer;
  }
  interface Options {
    /** Every permission is denied by default. */
    defaultDeny: boolean;
  }
}
