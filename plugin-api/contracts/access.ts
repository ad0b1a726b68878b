import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Actor, Chain, Decision, Permission, Resource } from "../access/permissions.js";

/**
 * Decides the checks of `rowhouse.permissions`. Without this service every permission is denied. It must deny actors with
 * restrictions (`_r`) what these do not list.
 */
export interface Authorizer {
  readonly registered: ReadonlyMap<string, Permission>;
  /** The latest decisions, newest first. */
  readonly decisions: readonly Decision[];
  /** Called once at start. @throws StartupError if two different permissions have one name or abbreviation */
  register(permissions: readonly Permission[]): void;
  decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision>;
  /** The decisions in the order of the resources. */
  decideMany(
    actor: Actor | null,
    action: string,
    resources: readonly Resource[],
  ): Promise<readonly Decision[]>;
  /** @throws Forbidden with `refusal`, or with the name of the denied action */
  require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void>;
  /** For each chain, whether it allows the actor. */
  visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]>;
}

/** The settings of the plugin authorization. */
export const authorizationSettings = defineSettings({
  /** A restriction that lists `view-table` also allows `view-database` and `view-instance`. */
  restrictions_imply_parents: {
    default: false,
    help: "A token restricted to a table may also see the pages of its database and of the instance",
    unlisted: true,
  },
});

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
  interface Settings
    extends SettingsOf<typeof authorizationSettings>, SettingsOf<typeof permissionsSettings> {}
  interface Services {
    authorizer: Authorizer;
  }
  interface Options {
    /** Every permission is denied by default. */
    defaultDeny: boolean;
  }
}
