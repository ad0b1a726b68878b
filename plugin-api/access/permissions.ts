import type { Awaitable, NoOpinion } from "../kernel/hook-results.js";

/** The actor of a request; null for anonymous requests. Rowhouse itself uses only `id`. */
export interface Actor {
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

/**
 * True for the actor `root`, which the link of `--root` signs in.
 *
 * @example
 * isRoot({ id: "root" }); // true
 */
export const isRoot = (actor: Actor | null): boolean => actor?.id === "root";

/** A permission as plugins register it. The names of its fields are published. */
export interface Permission {
  readonly name: string;
  readonly abbr: string | null;
  readonly description: string | null;
  readonly takes_database: boolean;
  readonly takes_resource: boolean;
  /** The decision if no plugin has an opinion. */
  readonly default: boolean;
}

/** The instance (null), a database, or a table, view or query in a database. */
export type Resource = null | string | readonly [database: string, resource: string];

/** A permission check: may the actor perform this action on this resource? */
export interface PermissionCheck {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resource: Resource;
}

/** A permission check of many resources at once. */
export interface PermissionChecks {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resources: readonly Resource[];
}

/** An opinion with its reason, which `/-/check` shows. */
export interface ReasonedOpinion {
  readonly allowed: boolean;
  /** The rule: `databases.data.tables.docs.allow in metadata.yaml does not match`. */
  readonly because: string;
}

/** Allow (true) or deny (false), with an optional reason. */
export type Opinion = boolean | ReasonedOpinion;
/** The result of the hook `permission_allowed`. */
export type OpinionAnswer = Awaitable<Opinion | NoOpinion>;

/** The opinion of one plugin; `plugin` is null for the registered default. */
export interface RecordedOpinion {
  readonly plugin: string | null;
  readonly allowed: boolean;
  readonly because: string | null;
}

/** The result of one permission check. */
export interface Decision extends PermissionCheck {
  /** The combined opinion: false if any plugin denies, true if any allows, null if none has an opinion. */
  readonly opinion: boolean | null;
  /** The decision: the opinion, or the default of the permission. */
  readonly allowed: boolean;
  readonly usedDefault: boolean;
  /** True for a step of a chain: without an opinion the next step decides, not the default. */
  readonly inChain?: true;
  readonly opinions: readonly RecordedOpinion[];
  readonly at: Date;
}

/**
 * Checks from the most specific resource to the least. The first one with an opinion decides. So a permission that is
 * denied by default is the only one of its chain: an `allow` block of the instance would otherwise grant the chain.
 */
export type Chain = readonly (readonly [action: string, resource: Resource])[];

/** The instance (`{}`), a database, or a table, view or query in it. Targets and the names of a path are ones. */
export interface ResourcePath {
  /** Not used; it makes targets assignable. */
  readonly kind?: string;
  readonly database?: string | Named;
  readonly table?: string | Named;
  /** The name of a table in a path. */
  readonly resource?: string | undefined;
  readonly query?: string | Named;
}

interface Named {
  readonly name: string;
}

/** Permission checks (`rowhouse.permissions`). */
export interface Permissions {
  /** Registered permissions by name. */
  readonly registered: ReadonlyMap<string, Permission>;
  /** The last 200 decisions, newest first. */
  readonly decisions: readonly Decision[];
  /**
   * Whether the actor may do one thing: one denial overrides any number of grants; without an opinion the
   * permission's default applies. The checks of a chain run in order until one has an opinion.
   *
   * @example
   * await rowhouse.permissions.allowed(actor, "insert-row", ["library", "books"]); // false
   * await rowhouse.permissions.allowed(actor, permissionChain({ database: "library", table: "books" })); // true
   */
  allowed(actor: Actor | null, action: string, resource?: Resource): Promise<boolean>;
  allowed(actor: Actor | null, chain: Chain): Promise<boolean>;
  /** As `allowed` for one action, with the opinion of each plugin. */
  decide(actor: Actor | null, action: string, resource?: Resource): Promise<Decision>;
  /**
   * As `decide` for many resources, in their order. Each plugin is called once.
   *
   * @example
   * const [books, members] = await rowhouse.permissions.decideMany(actor, "insert-row", [
   *   ["library", "books"],
   *   ["library", "members"],
   * ]);
   */
  decideMany(
    actor: Actor | null,
    action: string,
    resources: readonly Resource[],
  ): Promise<readonly Decision[]>;
  /**
   * As `allowed` for many chains, in their order. Each plugin is called once per step, not once per chain.
   *
   * @example
   * const chains = tables.map((table) => permissionChain({ database: "library", table }));
   * await rowhouse.permissions.visible(actor, chains); // [true, false]
   */
  visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]>;
  /**
   * Checks a chain.
   *
   * @param refusal the message for the client. Default: the name of the denied action
   * @throws Forbidden if the chain does not allow the actor
   */
  require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void>;
}

/**
 * The checks that decide whether an actor may view a resource, from the most specific resource to the instance.
 *
 * @param path names, or the target of a route: `permissions: permissionChain`
 * @example
 * permissionChain({ database: "library", table: "books" });
 * // [["view-table", ["library", "books"]], ["view-database", "library"], ["view-instance", null]]
 */
export function permissionChain({ database, resource, table = resource, query }: ResourcePath = {}): Chain {
  if (database === undefined) return [["view-instance", null]];
  const name = nameOf(database);
  const above: Chain = [
    ["view-database", name],
    ["view-instance", null],
  ];
  if (table !== undefined) return [["view-table", [name, nameOf(table)]], ...above];
  return query === undefined ? above : [["view-query", [name, nameOf(query)]], ...above];
}

const nameOf = (named: string | Named): string => (typeof named === "string" ? named : named.name);

/**
 * The items that the actor may view, in their order.
 *
 * @example
 * const tables = ["books", "closed"];
 * const chainOf = (name) => permissionChain({ database: "library", table: name });
 * await visibleItems(rowhouse.permissions, actor, tables, chainOf); // ["books"]
 * @param chainOf returns the chain of an item
 */
export async function visibleItems<Item>(
  permissions: Permissions,
  actor: Actor | null,
  items: readonly Item[],
  chainOf: (item: Item) => Chain,
): Promise<Item[]> {
  const visible = await permissions.visible(actor, items.map(chainOf));
  return items.filter((_item, index) => visible[index] === true);
}

/**
 * For each chain: whether it allows the actor, and whether it denies anonymous requests.
 *
 * @example
 * const chains = [permissionChain({ database: "library", table: "books" })];
 * await visibilityOf(rowhouse.permissions, actor, chains); // [{ visible: true, private: false }]
 */
export async function visibilityOf(
  permissions: Permissions,
  actor: Actor | null,
  chains: readonly Chain[],
): Promise<Visibility[]> {
  const visible = await permissions.visible(actor, chains);
  if (actor === null) return visible.map((passes) => ({ visible: passes, private: false }));
  // An empty chain needs no check: what the actor cannot view is not shown as private.
  const asAnonymous = chains.map((chain, index) => (visible[index] === true ? chain : []));
  const open = await permissions.visible(null, asAnonymous);
  return visible.map((passes, index) => ({ visible: passes, private: passes && open[index] === false }));
}

/** Whether a resource is visible to an actor. */
export interface Visibility {
  readonly visible: boolean;
  /** True if this actor may view it and anonymous clients may not. */
  readonly private: boolean;
}
