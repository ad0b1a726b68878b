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
import { blockOpinion, databaseOf, ownValue } from "./rule.js";
import type { Rule } from "./rule.js";

/** What the allow rules look things up in. */
export interface AllowSources {
  readonly metadata: Metadata;
  readonly databases: ReadonlyMap<string, Database>;
  /** Named queries of a database, by name; those of plugins included. */
  readonly queries: (database: string) => ReadonlyMap<string, CannedQuery> | null;
}

interface Place {
  readonly block: MetadataBlock;
  readonly path: KeyPath;
  readonly key: "allow" | "allow_sql";
}

/** `allow` and `allow_sql` blocks, for the five actions that have one; null for all other actions. */
export function allowRule(actor: Actor | null, action: string, sources: AllowSources): Rule | null {
  const places = placesByAction.get(action);
  if (places === undefined) return null;
  return (resource) => {
    if (action === "view-database" && isInternal(resource, sources.databases) && !isRoot(actor)) {
      return { allowed: false, because: "the internal database is for the actor root" };
    }
    const found = places(resource, sources).find(({ block, key }) => Object.hasOwn(block, key));
    if (found === undefined) return null;
    const allow = ownValue(found.block, found.key);
    // A null block says nothing itself, but it does hide the level above.
    if (allow === null || allow === undefined) return null;
    return blockOpinion(actor, allow, [...found.path, found.key], sources.metadata.source);
  };
}

type Places = (resource: Resource, sources: AllowSources) => readonly Place[];

/** Where each action looks, nearest first; the first place that has the key at all settles it. */
const placesByAction: ReadonlyMap<string, Places> = new Map<string, Places>([
  ["view-instance", (_resource, { metadata }) => [top(metadata, "allow")]],
  ["view-database", (resource, { metadata }) => ofDatabase(resource, metadata, "allow")],
  ["execute-sql", (resource, { metadata }) => ofDatabase(resource, metadata, "allow_sql")],
  ["view-table", ofTable],
  ["view-query", ofQuery],
]);

function ofTable(resource: Resource, { metadata }: AllowSources): readonly Place[] {
  if (resource === null || typeof resource === "string") return NO_PLACES;
  const [database, table] = resource;
  const block = metadata.table(database, table);
  if (!Object.hasOwn(block, "allow")) return NO_PLACES;
  return [{ block, path: ["databases", database, "tables", table], key: "allow" }];
}

function ofQuery(resource: Resource, { queries }: AllowSources): readonly Place[] {
  if (resource === null || typeof resource === "string") return [];
  const [database, name] = resource;
  const query = queries(database)?.get(name);
  if (query === undefined) return [];
  return [{ block: query, path: ["databases", database, "queries", name], key: "allow" }];
}

const NO_PLACES: readonly Place[] = [];

const top = (metadata: Metadata, key: Place["key"]): Place => ({ block: metadata.document, path: [], key });

function ofDatabase(resource: Resource, metadata: Metadata, key: Place["key"]): readonly Place[] {
  const database = databaseOf(resource);
  if (database === null) return [top(metadata, key)];
  return [{ block: metadata.database(database), path: ["databases", database], key }, top(metadata, key)];
}

function isInternal(resource: Resource, databases: AllowSources["databases"]): boolean {
  const name = databaseOf(resource);
  return name !== null && (name === "_internal" || databases.get(name)?.internal === true);
}
