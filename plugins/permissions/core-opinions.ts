import {
  isObject,
  type HookTable,
  type Actor,
  type Database,
  type MetadataBlock,
  type Opinion,
  type Resource,
  type Rowhouse,
} from "rowhouse/plugin-api";
import {
  actorMatches,
  isRoot,
  type PermissionChecks,
  type ReasonedOpinion,
} from "rowhouse/plugin-api/access";
import type { HookFunction } from "rowhouse/plugin-api/kernel";
import { byTable, type KeyPath } from "rowhouse/plugin-api/metadata";
import { NameMap } from "rowhouse/plugin-api/names";
import type { Metadata } from "rowhouse/plugin-api/contracts";
import {
  byDatabase,
  decidingBlock,
  decidingBlocks,
  ownValue,
  type DecidingBlock,
} from "./metadata-blocks.js";
import { queryBlocks } from "./query-blocks.js";

/**
 * The opinions of this plugin on the resources in order: internal databases, grants of root, then `allow` blocks, then
 * `permissions` blocks. Synchronous if possible, since pages run hundreds of checks.
 */
export function coreOpinions(rowhouse: Rowhouse): HookFunction<HookTable["permission_allowed_many"]> {
  const context: Context = { rowhouse, rules: new WeakMap() };
  return (_rowhouse, checks) => {
    const service = rowhouse.serviceIfAny("queries");
    if (checks.action !== "view-query" || service === null) return opinionsOf(context, checks);
    return queryBlocks(rowhouse, service, checks).then((blockOf) =>
      opinionsOf(context, checks, [(actor, resource) => opinionOf(blockOf(resource), actor)]),
    );
  };
}

function opinionsOf(
  context: Context,
  { actor, action, resources }: PermissionChecks,
  further: readonly Rule[] = [],
): readonly (Opinion | null)[] {
  const { rowhouse } = context;
  const internal = internalRule(action, rowhouse.databases);
  const ofRoot = rootOpinion(actor, action, mayRootEverything(rowhouse));
  const rules: readonly Rule[] =
    ofRoot === null ? [internal, ...further, ...rulesOf(context, action)] : [internal, () => ofRoot];
  return resources.map((resource) => firstOpinion(rules, actor, resource));
}

/** The actions on an internal database that other rules decide for root. */
const INTERNAL_READING: ReadonlySet<string> = new Set([
  "view-database",
  "view-table",
  "view-query",
  "execute-sql",
]);

/** Internal databases are read-only, and only for root. */
const internalRule =
  (action: string, databases: ReadonlyMap<string, Database>): Rule =>
  (actor, resource) =>
    isInternal(resource, databases) && !(isRoot(actor) && INTERNAL_READING.has(action))
      ? { allowed: false, because: "the internal database is for the actor root" }
      : null;

function isInternal(resource: Resource, databases: ReadonlyMap<string, Database>): boolean {
  const name = databaseOf(resource);
  return name !== null && (name === "_internal" || databases.get(name)?.internal === true);
}

/** With `--default-deny` and `--root`, root gets all permissions: it could not sign in to anything otherwise. */
const mayRootEverything = (rowhouse: Rowhouse): boolean =>
  rowhouse.option("defaultDeny") === true && rowhouse.option("root") === true;

/** What the opinions of one server need. */
interface Context {
  readonly rowhouse: Rowhouse;
  /** The rules of a metadata document by action, each made on first use. */
  readonly rules: WeakMap<Metadata, Map<string, readonly Rule[]>>;
}

function rulesOf({ rowhouse, rules: cache }: Context, action: string): readonly Rule[] {
  const metadata = rowhouse.service("metadata").current();
  const byAction = cache.get(metadata) ?? new Map<string, readonly Rule[]>();
  cache.set(metadata, byAction);
  const known = byAction.get(action);
  if (known !== undefined) return known;
  const allow = allowRule(action, metadata, rowhouse.databases);
  const permissions = permissionBlocksRule(action, metadata, rowhouse.databases);
  const rules = allow === null ? [permissions] : [allow, permissions];
  // Unregistered actions are not cached: their number is unlimited.
  if (rowhouse.permissions.registered.has(action)) byAction.set(action, rules);
  return rules;
}

function firstOpinion(rules: readonly Rule[], actor: Actor | null, resource: Resource): Opinion | null {
  for (const rule of rules) {
    const opinion = rule(actor, resource);
    if (opinion !== null) return opinion;
  }
  return null;
}

const ROOT_ACTIONS: ReadonlySet<string> = new Set([
  "permissions-debug",
  "debug-menu",
  "insert-row",
  "create-table",
  "alter-table",
  "drop-table",
  "delete-row",
  "update-row",
  "execute-write-sql",
]);

/**
 * The actions that the actor `root` is always allowed: writing and debugging.
 *
 * @param mayEverything true if the server denies by default and was started with `--root`
 */
function rootOpinion(actor: Actor | null, action: string, mayEverything: boolean): ReasonedOpinion | null {
  if (!isRoot(actor)) return null;
  if (ROOT_ACTIONS.has(action)) return { allowed: true, because: `the actor root may always ${action}` };
  if (!mayEverything) return null;
  return { allowed: true, because: "the server denies by default and was started with --root" };
}

type Key = "allow" | "allow_sql";

/** The rule of `allow` and `allow_sql` blocks for an action; null for actions without. `view-query` has a rule of its own. */
function allowRule(
  action: string,
  metadata: Metadata,
  databases: ReadonlyMap<string, Database>,
): Rule | null {
  switch (action) {
    case "view-instance":
      return instanceRule(metadata);
    case "view-database":
      return databaseRule(metadata, databases, "allow");
    case "execute-sql":
      return databaseRule(metadata, databases, "allow_sql");
    case "view-table":
      return tableRule(metadata, databases);
    default:
      return null;
  }
}

function instanceRule({ document, source }: Metadata): Rule {
  const top = decidingBlock(ownValue(document, "allow"), ["allow"], source);
  return (actor) => opinionOf(top, actor);
}

/** The key of a database overrides that of the instance, also if it is null, which is no opinion. */
function databaseRule(metadata: Metadata, databases: ReadonlyMap<string, Database>, key: Key): Rule {
  const { document, source } = metadata;
  const top = decidingBlock(ownValue(document, key), [key], source);
  const own = byDatabase(metadata, databases, (name, block) => ({
    hasKey: Object.hasOwn(block, key),
    deciding: decidingBlock(ownValue(block, key), ["databases", name, key], source),
  }));
  return (actor, resource) => {
    const database = databaseOf(resource);
    const overriding = database === null ? [] : own.all(database).filter(({ hasKey }) => hasKey);
    if (overriding.length === 0) return opinionOf(top, actor);
    return strictest(
      overriding.flatMap(({ deciding }) => deciding ?? []),
      actor,
    );
  };
}

function tableRule(metadata: Metadata, databases: ReadonlyMap<string, Database>): Rule {
  const { source } = metadata;
  const tablesOf = byDatabase(metadata, databases, (database, block) => {
    const blocks = decidingBlocks(block, "tables", (table, name) =>
      decidingBlock(ownValue(table, "allow"), ["databases", database, "tables", name, "allow"], source),
    );
    return byTable(databases, database, blocks);
  });
  return (actor, resource) => {
    if (resource === null || typeof resource === "string") return null;
    const [database, table] = resource;
    const blocks = tablesOf.all(database).flatMap((tables) => tables.all(table));
    return strictest(blocks, actor);
  };
}

/** The blocks of a database for an action: for everything in it, or by name. */
interface Level {
  readonly own: DecidingBlock | null;
  readonly tables: NameMap<DecidingBlock>;
  readonly queries: NameMap<DecidingBlock>;
}

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
function permissionBlocksRule(
  action: string,
  metadata: Metadata,
  databases: ReadonlyMap<string, Database>,
): Rule {
  const { document, source } = metadata;
  const blockAt = (block: MetadataBlock, path: KeyPath): DecidingBlock | null => {
    const permissions = ownValue(block, "permissions");
    if (!isObject(permissions)) return null;
    return decidingBlock(ownValue(permissions, action), [...path, "permissions", action], source);
  };
  const levelOf = (database: string, block: MetadataBlock): Level => {
    const path = ["databases", database];
    const within = (kind: string) =>
      decidingBlocks(block, kind, (entry, name) => blockAt(entry, [...path, kind, name]));
    const tables = byTable(databases, database, within("tables"));
    return { own: blockAt(block, path), tables, queries: new NameMap(within("queries")) };
  };

  const top = blockAt(document, []);
  if (top !== null) return (actor) => opinionOf(top, actor);
  const levels = byDatabase(metadata, databases, levelOf);
  return (actor, resource) => {
    if (resource === null) return null;
    const [database, name = null] = typeof resource === "string" ? [resource] : resource;
    const blocks = levels
      .all(database)
      .flatMap((level) => level.own ?? (name === null ? [] : blocksNamed(level, name)));
    return strictest(blocks, actor);
  };
}

/** The blocks of a table or view, else of a query. */
function blocksNamed({ tables, queries }: Level, name: string): readonly DecidingBlock[] {
  const ofTable = tables.all(name);
  return ofTable.length > 0 ? ofTable : queries.all(name);
}

/** A rule for one action; null is no opinion. */
type Rule = (actor: Actor | null, resource: Resource) => ReasonedOpinion | null;

const opinionOf = (block: DecidingBlock | null, actor: Actor | null): ReasonedOpinion | null => {
  if (block === null) return null;
  return actorMatches(actor, block.allow) ? block.ifMatching : block.otherwise;
};

/** The combined opinion of blocks for one resource: a denial overrides grants. Null without blocks. */
function strictest(blocks: readonly DecidingBlock[], actor: Actor | null): ReasonedOpinion | null {
  let first: ReasonedOpinion | null = null;
  for (const block of blocks) {
    const opinion = opinionOf(block, actor);
    if (opinion?.allowed === false) return opinion;
    first ??= opinion;
  }
  return first;
}

/** The database of a resource. */
const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" ? resource : (resource?.[0] ?? null);

/** True for the actor whose id is `root`. */
