import type { Actor, Awaitable, Opinion, Resource, Rowhouse, Services } from "rowhouse/plugin-api";
import type { PermissionChecks, ReasonedOpinion } from "rowhouse/plugin-api/access";
import type { Metadata } from "rowhouse/plugin-api/contracts";
import { allowRule, databaseOf, isRoot, permissionBlocksRule, queryRule } from "./metadata-rules.js";
import type { QueriesByDatabase, Rule } from "./metadata-rules.js";

/**
 * The opinions of this plugin on the resources in order: grants of root, then `allow` blocks, then `permissions` blocks.
 * Synchronous if possible, since pages run hundreds of checks.
 */
export function coreOpinions(
  rowhouse: Rowhouse,
): (checks: PermissionChecks) => Awaitable<readonly (Opinion | null)[]> {
  const context: Context = { rowhouse, rules: new WeakMap() };
  return (checks) => {
    const service = rowhouse.serviceIfAny("queries");
    if (checks.action !== "view-query" || service === null) return opinionsOf(context, checks, NO_QUERIES);
    return queriesOf(rowhouse, service, checks).then((queries) => opinionsOf(context, checks, queries));
  };
}

function opinionsOf(
  context: Context,
  { actor, action, resources }: PermissionChecks,
  queries: QueriesByDatabase,
): readonly (Opinion | null)[] {
  const { rowhouse } = context;
  const ofRoot = rootOpinion(actor, action, mayRootEverything(rowhouse));
  if (ofRoot !== null) return resources.map(() => ofRoot);
  const metadata = rowhouse.service("metadata").current();
  const written = rulesOf(context, metadata, action);
  const rules = action === "view-query" ? [queryRule(queries, metadata.source), ...written] : written;
  return resources.map((resource) => firstOpinion(rules, actor, resource));
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

function rulesOf({ rowhouse, rules: cache }: Context, metadata: Metadata, action: string): readonly Rule[] {
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

async function queriesOf(
  rowhouse: Rowhouse,
  service: Services["queries"],
  { actor, resources }: PermissionChecks,
): Promise<QueriesByDatabase> {
  const names = new Set(resources.map(databaseOf).filter((name) => name !== null));
  const known = [...names].filter((name) => rowhouse.databases.has(name));
  return new Map(
    await Promise.all(known.map(async (name) => [name, await service.cannedQueries(name, actor)] as const)),
  );
}

const NO_QUERIES: QueriesByDatabase = new Map();

const ROOT_ACTIONS: ReadonlySet<string> = new Set([
  "permissions-debug",
  "debug-menu",
  "insert-row",
  "create-table",
  "alter-table",
  "drop-table",
  "delete-row",
  "update-row",
]);

/**
 * The actions that the actor `root` is always allowed: writing and debugging.
 *
 * @param mayEverything true if the server denies by default and was started with `--root`
 */
export function rootOpinion(
  actor: Actor | null,
  action: string,
  mayEverything: boolean,
): ReasonedOpinion | null {
  if (!isRoot(actor)) return null;
  if (ROOT_ACTIONS.has(action)) return { allowed: true, because: `the actor root may always ${action}` };
  if (!mayEverything) return null;
  return { allowed: true, because: "the server denies by default and was started with --root" };
}
