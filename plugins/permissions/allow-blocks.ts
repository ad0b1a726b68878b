import type {
  Actor,
  CannedQuery,
  Database,
  KeyPath,
  Metadata,
  MetadataBlock,
  Resource,
} from "rowhouse/plugin-api";
import { isRoot } from "./root.js";
import { blockOpinion, databaseOf } from "./rule.js";
import type { Rule } from "./rule.js";

/** What the allow rules look things up in. */
export interface AllowSources {
  readonly metadata: Metadata;
  readonly databases: ReadonlyMap<string, Database>;
  /** Named queries of a database, by name; those of plugins included. */
  readonly queries: (database: string) => ReadonlyMap<string, CannedQuery> | null;
}

type Key = "allow" | "allow_sql";

/** What stands under the key, and where. */
interface Found {
  readonly allow: unknown;
  readonly path: KeyPath;
}

/** `allow` and `allow_sql` blocks, for the five actions that have one; null for all other actions. */
export function allowRule(actor: Actor | null, action: string, sources: AllowSources): Rule | null {
  const find = finders.get(action);
  if (find === undefined) return null;
  return (resource) => {
    if (action === "view-database" && isInternal(resource, sources.databases) && !isRoot(actor)) {
      return { allowed: false, because: "the internal database is for the actor root" };
    }
    const found = find(resource, sources);
    // A null block says nothing itself, but it does hide the level above.
    if (found === null || found.allow === null || found.allow === undefined) return null;
    return blockOpinion(actor, found.allow, found.path, sources.metadata.source);
  };
}

type Find = (resource: Resource, sources: AllowSources) => Found | null;

/** Where each action looks, nearest first; the first place that has the key at all settles it. */
const finders: ReadonlyMap<string, Find> = new Map<string, Find>([
  ["view-instance", (_resource, { metadata }) => atTop(metadata, "allow")],
  ["view-database", (resource, { metadata }) => ofDatabase(resource, metadata, "allow")],
  ["execute-sql", (resource, { metadata }) => ofDatabase(resource, metadata, "allow_sql")],
  ["view-table", ofTable],
  ["view-query", ofQuery],
]);

/** Most blocks have no such key: the path is written for those that do. */
const under = (key: Key, block: MetadataBlock, pathOf: () => KeyPath): Found | null =>
  Object.hasOwn(block, key) ? { allow: block[key], path: [...pathOf(), key] } : null;

const atTop = ({ document }: Metadata, key: Key): Found | null => under(key, document, () => []);

function ofDatabase(resource: Resource, metadata: Metadata, key: Key): Found | null {
  const database = databaseOf(resource);
  if (database === null) return atTop(metadata, key);
  return under(key, metadata.database(database), () => ["databases", database]) ?? atTop(metadata, key);
}

function ofTable(resource: Resource, { metadata }: AllowSources): Found | null {
  if (resource === null || typeof resource === "string") return null;
  const [database, table] = resource;
  return under("allow", metadata.table(database, table), () => ["databases", database, "tables", table]);
}

function ofQuery(resource: Resource, { queries }: AllowSources): Found | null {
  if (resource === null || typeof resource === "string") return null;
  const [database, name] = resource;
  const query = queries(database)?.get(name);
  return query === undefined ? null : under("allow", query, () => ["databases", database, "queries", name]);
}

function isInternal(resource: Resource, databases: AllowSources["databases"]): boolean {
  const name = databaseOf(resource);
  return name !== null && (name === "_internal" || databases.get(name)?.internal === true);
}
