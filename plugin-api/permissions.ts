import type { Awaitable, NoOpinion } from "./hooks.js";

/** Who is asking: `null` is anonymous. Only `id` means anything to Rowhouse itself. */
export interface Actor {
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

/** A permission as plugins register it; names and spelling are published. */
export interface Permission {
  readonly name: string;
  readonly abbr: string | null;
  readonly description: string | null;
  readonly takes_database: boolean;
  readonly takes_resource: boolean;
  /** The answer when nobody has an opinion. */
  readonly default: boolean;
}

/** Nothing, a database, or a table, view or query in a database. */
export type Resource = null | string | readonly [database: string, resource: string];

/** A question put to every plugin. */
export interface PermissionCheck {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resource: Resource;
}

/** The same question about many resources, for plugins that can answer in one pass. */
export interface PermissionChecks {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resources: readonly Resource[];
}

/** An opinion with the rule behind it, which the explaining page shows. */
export interface ReasonedOpinion {
  readonly allowed: boolean;
  /** For people: `databases.data.tables.docs.allow in metadata.yaml does not match`. */
  readonly because: string;
}

/** Yes or no, with the reason where there is one to tell. */
export type Opinion = boolean | ReasonedOpinion;
/** What a permission hook may answer. */
export type OpinionAnswer = Awaitable<Opinion | NoOpinion>;

/** Who said what. `plugin` is null for the registered default. */
export interface RecordedOpinion {
  readonly plugin: string | null;
  readonly allowed: boolean;
  readonly because: string | null;
}

/** How one question was settled. */
export interface Decision extends PermissionCheck {
  /** What the plugins made of it together: one no beats any number of yeses; null when none had an opinion. */
  readonly opinion: boolean | null;
  /** The answer: the opinion, or the default where there was none. */
  readonly allowed: boolean;
  readonly usedDefault: boolean;
  /** A step of a chain: with no opinion the next step is asked, and no default counts. */
  readonly inChain?: true;
  readonly opinions: readonly RecordedOpinion[];
  readonly at: Date;
}

/** Questions from the most specific resource to the least: the first opinion settles it. */
export type Chain = readonly (readonly [action: string, resource: Resource])[];

/** What a chain is about: the instance (`{}`), a database, or a table, view or query in it. Every `Target` is one. */
export interface ResourcePath {
  /** Of a target: not looked at. */
  readonly kind?: string;
  readonly database?: string | Named;
  readonly table?: string | Named;
  readonly query?: string | Named;
}

interface Named {
  readonly name: string;
}

/** Every permission question of the server, put to all plugins. `rowhouse.permissions`. */
export interface Permissions {
  /** Registered permissions by name. */
  readonly registered: ReadonlyMap<string, Permission>;
  /** The last 200 decisions, newest first. */
  readonly decisions: readonly Decision[];
  /**
   * Whether the actor may do one thing: one denial overrides any number of grants; without an opinion the
   * permission's default applies. A chain asks its questions in order until one has an opinion.
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
   * As `allowed` for many chains, in their order. Each plugin is called once per step, not once per chain.
   *
   * @example
   * const chains = tables.map((table) => permissionChain({ database: "library", table }));
   * await rowhouse.permissions.visible(actor, chains); // [true, false]
   */
  visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]>;
  /** @throws Forbidden with `refusal`, or else the name of the action that was denied */
  require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void>;
}

/**
 * The questions that decide who may see something, from the most specific resource to the instance.
 *
 * @param path names, or the target of a route: `permissions: permissionChain`
 * @example
 * permissionChain({ database: "library", table: "books" });
 * // [["view-table", ["library", "books"]], ["view-database", "library"], ["view-instance", null]]
 */
export function permissionChain({ database, table, query }: ResourcePath = {}): Chain {
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
 * The items that the actor may see, in their order.
 *
 * @param chainOf the questions that decide about one item
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

/** For each chain whether the actor passes it, and whether anonymous visitors would not. */
export async function visibilityOf(
  permissions: Permissions,
  actor: Actor | null,
  chains: readonly Chain[],
): Promise<Visibility[]> {
  const visible = await permissions.visible(actor, chains);
  if (actor === null) return visible.map((passes) => ({ visible: passes, private: false }));
  // An empty chain passes without a question: what the actor can't see can't be private.
  const asAnonymous = chains.map((chain, index) => (visible[index] === true ? chain : []));
  const open = await permissions.visible(null, asAnonymous);
  return visible.map((passes, index) => ({ visible: passes, private: passes && open[index] === false }));
}

/** Whether somebody may see a thing. */
export interface Visibility {
  readonly visible: boolean;
  /** True when this actor may see it but an anonymous visitor may not. */
  readonly private: boolean;
}
