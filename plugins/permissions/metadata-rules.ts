import { isObject, type Actor, type Database, type MetadataBlock, type Resource } from "rowhouse/plugin-api";
import { actorMatches, type ReasonedOpinion } from "rowhouse/plugin-api/access";
import { keyText, type KeyPath } from "rowhouse/plugin-api/metadata";
import { NameMap } from "rowhouse/plugin-api/names";
import type { CannedQuery, Metadata } from "rowhouse/plugin-api/contracts";

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

/** A rule for one action; null is no opinion. */
export type Rule = (actor: Actor | null, resource: Resource) => ReasonedOpinion | null;

/** A block of the metadata that allows or denies each actor. */
export interface DecidingBlock {
  opinionOn(actor: Actor | null): ReasonedOpinion;
}

/** The block under a key; null if there is none. Both opinions are made once, since lists run thousands of checks. */
export function decidingBlock(allow: unknown, path: KeyPath, source: string): DecidingBlock | null {
  if (allow === null || allow === undefined) return null;
  const place = `${keyText(path)} in ${source}`;
  const yes = { allowed: true, because: `${place} matches` };
  const no = { allowed: false, because: `${place} does not match` };
  return { opinionOn: (actor) => (actorMatches(actor, allow) ? yes : no) };
}

/** The combined opinion of blocks for one resource: a denial overrides grants. Null without blocks. */
export function strictest(blocks: readonly DecidingBlock[], actor: Actor | null): ReasonedOpinion | null {
  let first: ReasonedOpinion | null = null;
  for (const block of blocks) {
    const opinion = block.opinionOn(actor);
    if (!opinion.allowed) return opinion;
    first ??= opinion;
  }
  return first;
}

/** Deciding blocks by name. */
export type BlocksByName = NameMap<DecidingBlock>;

/** The deciding blocks of the entries under a key, such as `tables`. */
export function decidingBlocks(
  block: MetadataBlock,
  key: string,
  decide: (entry: MetadataBlock, name: string) => DecidingBlock | null,
): BlocksByName {
  return new NameMap(
    blocksUnder(block, key).flatMap(([name, entry]): [string, DecidingBlock][] => {
      const deciding = decide(entry, name);
      return deciding === null ? [] : [[name, deciding]];
    }),
  );
}

/**
 * Values made of the blocks of databases, by name. A block belongs to the database with exactly its spelling if there is
 * one, else to those whose names SQLite treats as equal.
 */
export const byDatabase = <Value>(
  { document }: Metadata,
  databases: ReadonlyMap<string, Database>,
  valueOf: (name: string, block: MetadataBlock) => Value,
): NameMap<Value> =>
  new NameMap(
    blocksUnder(document, "databases").map(([name, block]) => [name, valueOf(name, block)] as const),
    (name) => databases.has(name),
  );

/** The entries under a key of a block that are blocks themselves. */
export function blocksUnder(
  block: MetadataBlock,
  key: string,
): readonly (readonly [name: string, entry: MetadataBlock])[] {
  const inner = ownValue(block, key);
  if (!isObject(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, MetadataBlock] => isObject(entry[1]));
}

/** The value of an own key, else undefined. Keys of metadata may have any name, such as `constructor`. */
export const ownValue = (block: MetadataBlock, key: string): unknown =>
  Object.hasOwn(block, key) ? block[key] : undefined;

/** The database of a resource. */
export const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" ? resource : (resource?.[0] ?? null);

/** True for the actor whose id is `root`. */
export const isRoot = (actor: Actor | null): boolean => actor?.id === "root";
