import { AsyncLocalStorage } from "node:async_hooks";
import {
  permissionChain,
  visibleItems,
  isObject,
  type Actor,
  type Database,
  type Opinion,
  type PermissionCheck,
  type Rowhouse,
  type Schema,
  type Table,
} from "rowhouse/plugin-api";
import { isCatalogueName, meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

/**
 * Denies `view-table` on a view without a grant of its own if the actor may not view one of its tables. Has no
 * opinion on other resources.
 */
export function inheritTablePermissions(
  rowhouse: Rowhouse,
  { actor, action, resource }: PermissionCheck,
): Promise<Opinion | null> | null {
  if (action !== "view-table" || resource === null || typeof resource === "string") return null;
  if (isLookingForGrant()) return null;
  const [databaseName, name] = resource;
  const database = rowhouse.databases.get(databaseName);
  return database === undefined ? null : viewOpinion(rowhouse, { actor, database, name });
}

interface ViewCheck {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly name: string;
}

async function viewOpinion(
  rowhouse: Rowhouse,
  { actor, database, name }: ViewCheck,
): Promise<Opinion | null> {
  const schema = await database.schema();
  const view = schema.tables.get(name);
  if (view?.kind !== "view" || (await viewHasGrant(rowhouse, actor, database, view))) return null;
  const tables = await underlyingTables(rowhouse, { actor, database, name }, schema);
  const visible = await visibleItems(rowhouse.permissions, actor, tables, (table) =>
    permissionChain({ database, table }),
  );
  const closed = tables.find((table) => !visible.includes(table));
  return closed === undefined
    ? null
    : { allowed: false, because: `shows ${closed}, which may not be viewed` };
}

/** True if a rule about the view itself allows it, whatever tables it reads. */
export const viewHasGrant = (
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  view: Table,
): Promise<boolean> =>
  hasOwnGrant(rowhouse, {
    actor,
    action: "view-table",
    resource: [database.name, view.name],
    block: currentMetadata(rowhouse).table(database.name, view.name),
  });

/** The tables that a view reads, also through other views unless those have a grant. */
async function underlyingTables(
  rowhouse: Rowhouse,
  { actor, database, name }: ViewCheck,
  schema: Schema,
): Promise<string[]> {
  const visited = new Set([name]);
  const found: string[] = [];
  for (const visiting of visited) {
    for (const mentioned of mentionedIn(schema, visiting)) {
      if (visited.has(mentioned.name)) continue;
      if (mentioned.kind !== "view") found.push(mentioned.name);
      else if (!(await viewHasGrant(rowhouse, actor, database, mentioned))) visited.add(mentioned.name);
    }
  }
  return [...new Set(found)];
}

const mentionsBySchema = new WeakMap<Schema, Map<string, readonly Table[]>>();

/**
 * Tables and views that a view reads, or whose names occur in its SQL; all tables if it reads tables of SQLite that
 * describe them, or if the engine can't tell. May include too many, never too few.
 */
function mentionedIn(schema: Schema, view: string): readonly Table[] {
  const known = mentionsBySchema.get(schema) ?? new Map<string, readonly Table[]>();
  mentionsBySchema.set(schema, known);
  const before = known.get(view);
  if (before !== undefined) return before;
  const { sql = null, reads = [] } = schema.tables.get(view) ?? {};
  const words = new Set([
    ...meaningful(sqlTokens(sql ?? "")).map(({ text }) => unquote(text).toLowerCase()),
    ...(reads ?? []).map((name) => name.toLowerCase()),
  ]);
  const readsAny = reads === null || [...words].some(isCatalogueName);
  const mentioned = [...schema.tables.values()].filter(
    ({ name, kind }) => name !== view && (words.has(name.toLowerCase()) || (readsAny && kind !== "view")),
  );
  known.set(view, mentioned);
  return mentioned;
}

type Block = Readonly<Record<string, unknown>>;

interface GrantCheck {
  readonly actor: Actor | null;
  readonly action: "view-table" | "view-query";
  readonly resource: readonly [database: string, name: string];
  /** The metadata block of the view, or the definition of the query. */
  readonly block: Block;
}

const grantLookup = new AsyncLocalStorage<true>();

/** True while a grant is looked up: this plugin's own opinion on views must not count then. */
const isLookingForGrant = (): boolean => grantLookup.getStore() === true;

/**
 * True if a rule about the view or query itself allows it: its `allow` block, its `permissions` block, or the opinion
 * of a plugin. Rules of the database or instance do not count.
 */
export async function hasOwnGrant(
  rowhouse: Rowhouse,
  { actor, action, resource, block }: GrantCheck,
): Promise<boolean> {
  const decision = await grantLookup.run(true, () => rowhouse.permissions.decide(actor, action, resource));
  if (decision.opinion !== true) return false;
  return (
    hasRuleFor(block, action) ||
    decision.opinions.some(({ plugin, allowed }) => plugin !== "permissions" && allowed)
  );
}

function hasRuleFor(block: Block, action: string): boolean {
  const permissions = block["permissions"];
  return isSet(block["allow"]) || (isObject(permissions) && isSet(permissions[action]));
}

const isSet = (rule: unknown): boolean => rule !== null && rule !== undefined;
