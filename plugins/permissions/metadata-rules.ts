import { isObject } from "rowhouse/plugin-api";
import type { CannedQuery, Database, Metadata, Resource, KeyPath, MetadataBlock } from "rowhouse/plugin-api";
import { isRoot } from "./root.js";
import {
  byDatabase,
  databaseOf,
  decidingBlock,
  decidingBlocks,
  ownValue,
  strictest,
} from "./deciding-blocks.js";
import type { Rule, BlocksByName, DecidingBlock } from "./deciding-blocks.js";

/** Canned queries by database and name, including those of plugins. */
export type QueriesByDatabase = ReadonlyMap<string, ReadonlyMap<string, CannedQuery>>;

type Key = "allow" | "allow_sql";

/** The rule of `allow` and `allow_sql` blocks for an action; null for actions without. For `view-query` see `queryRule`. */
export function allowRule(
  action: string,
  metadata: Metadata,
  databases: ReadonlyMap<string, Database>,
): Rule | null {
  switch (action) {
    case "view-instance":
      return instanceRule(metadata);
    case "view-database":
      return exceptInternal(databases, databaseRule(metadata, databases, "allow"));
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
  return (actor) => top?.opinionOn(actor) ?? null;
}

/** The key of a database overrides that of the instance, also if it is null, which is no opinion. */
function databaseRule(metadata: Metadata, databases: ReadonlyMap<string, Database>, key: Key): Rule {
  const { document, source } = metadata;
  const top = decidingBlock(ownValue(document, key), [key], source);
  const own = byDatabase(metadata, databases, (name, block) => ({
    isSaid: Object.hasOwn(block, key),
    deciding: decidingBlock(ownValue(block, key), ["databases", name, key], source),
  }));
  return (actor, resource) => {
    const database = databaseOf(resource);
    const said = database === null ? [] : own.all(database).filter(({ isSaid }) => isSaid);
    if (said.length === 0) return top?.opinionOn(actor) ?? null;
    return strictest(
      said.flatMap(({ deciding }) => deciding ?? []),
      actor,
    );
  };
}

function tableRule(metadata: Metadata, databases: ReadonlyMap<string, Database>): Rule {
  const { source } = metadata;
  const tablesOf = byDatabase(metadata, databases, (database, block) =>
    decidingBlocks(block, "tables", (table, name) =>
      decidingBlock(ownValue(table, "allow"), ["databases", database, "tables", name, "allow"], source),
    ),
  );
  return (actor, resource) => {
    if (resource === null || typeof resource === "string") return null;
    const [database, table] = resource;
    const blocks = tablesOf.all(database).flatMap((tables) => tables.all(table));
    return strictest(blocks, actor);
  };
}

/** The `allow` block of a canned query, which may come from a plugin. */
export function queryRule(queries: QueriesByDatabase, source: string): Rule {
  return (actor, resource) => {
    if (resource === null || typeof resource === "string") return null;
    const [database, name] = resource;
    const allow = ownValue(queries.get(database)?.get(name) ?? {}, "allow");
    const path = ["databases", database, "queries", name, "allow"];
    return decidingBlock(allow, path, source)?.opinionOn(actor) ?? null;
  };
}

const exceptInternal =
  (databases: ReadonlyMap<string, Database>, rule: Rule): Rule =>
  (actor, resource) =>
    isInternal(resource, databases) && !isRoot(actor)
      ? { allowed: false, because: "the internal database is for the actor root" }
      : rule(actor, resource);

function isInternal(resource: Resource, databases: ReadonlyMap<string, Database>): boolean {
  const name = databaseOf(resource);
  return name !== null && (name === "_internal" || databases.get(name)?.internal === true);
}

/** The blocks of a database for an action: for everything in it, or by name. */
interface Level {
  readonly own: DecidingBlock | null;
  readonly tables: BlocksByName;
  readonly queries: BlocksByName;
}

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(
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
    const within = (kind: string): BlocksByName =>
      decidingBlocks(block, kind, (entry, name) => blockAt(entry, [...path, kind, name]));
    return { own: blockAt(block, path), tables: within("tables"), queries: within("queries") };
  };

  const top = blockAt(document, []);
  if (top !== null) return (actor) => top.opinionOn(actor);
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
