import {
  isObject,
  permissionChain,
  visibleItems,
  type Actor,
  type Chain,
  type MetadataBlock,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { currentMetadata, maskPlugins, visibleMetadata } from "rowhouse/plugin-api/metadata";
import { findByName, foldName, isSameName, NameMap } from "rowhouse/plugin-api/names";

/**
 * The metadata without the databases, tables and queries that the actor may not view, and without secrets in the
 * configuration of plugins.
 */
export async function metadataDocument({ rowhouse, actor }: Visit<"instance">): Promise<MetadataBlock> {
  const document = maskPlugins(currentMetadata(rowhouse).document);
  if (!isObject(document["databases"])) return document;
  const databases = await keepVisible(rowhouse, actor, document["databases"], (name) =>
    permissionChain({ database: servedName(rowhouse, name) }),
  );
  const entries = await Promise.all(
    databases.map(
      async ([name, block]) => [name, await visibleDatabase(rowhouse, actor, name, block)] as const,
    ),
  );
  return { ...document, databases: Object.fromEntries(entries) };
}

async function visibleDatabase(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  value: unknown,
): Promise<unknown> {
  if (!isObject(value)) return value;
  const served = servedName(rowhouse, database);
  const named = await tableNames(rowhouse, served);
  const part = async (key: string, chainOf: (name: string) => Chain): Promise<MetadataBlock> => {
    const block = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!isObject(block)) return {};
    const kept = await keepVisible(rowhouse, actor, block, chainOf);
    const entries = kept.map(
      ([name, inner]) => [name, isObject(inner) ? maskPlugins(inner) : inner] as const,
    );
    return { [key]: Object.fromEntries(entries) };
  };
  const tables = await part("tables", (name) => permissionChain({ database: served, table: named(name) }));
  const shown = isObject(tables["tables"])
    ? { tables: await withoutHidden(rowhouse, actor, served, tables["tables"]) }
    : tables;
  const queries = await part("queries", (query) => permissionChain({ database: served, query }));
  return { ...maskPlugins(value), ...shown, ...queries };
}

/** The served database that a block applies to: permissions are checked for this name. */
function servedName({ databases }: Rowhouse, name: string): string {
  return findByName(databases.values(), name)?.name ?? name;
}

/** Maps the name of a block to the table or view that it applies to; other names are unchanged. */
async function tableNames(rowhouse: Rowhouse, database: string): Promise<(name: string) => string> {
  const schema = await rowhouse.databases.get(database)?.schema();
  const names = new NameMap([...(schema?.tables.keys() ?? [])].map((name) => [name, name]));
  return (name) => names.all(name)[0] ?? name;
}

/**
 * Removes hidden columns and the configuration of plugins from the blocks of restricted tables, and full-text tables that
 * the actor may not view from all blocks.
 */
async function withoutHidden(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  block: MetadataBlock,
): Promise<MetadataBlock> {
  const served = rowhouse.databases.get(database);
  if (served === undefined) return block;
  // Without the plugin `row-access`, restrictions are unknown: nothing is published.
  const rowAccess = rowhouse.serviceIfAny("rowAccess");
  if (rowAccess === null) return {};
  const schema = await served.schema();
  const described = new Set(Object.keys(block).map(foldName));
  const named = [...schema.tables.values()].filter(({ name }) => described.has(foldName(name)));
  const readable = await rowAccess.readableMany(actor, served, named);
  const searchable = await rowAccess.viewable(actor, served, Object.values(block).flatMap(indexOf));
  const kept = Object.fromEntries(
    Object.entries(block).map(([name, inner]) => [name, withIndexAmong(searchable, inner)]),
  );
  for (const { restricted, table } of readable) {
    if (!restricted) continue;
    for (const [name, inner] of Object.entries(kept)) {
      if (!isSameName(name, table.name) || !isObject(inner)) continue;
      const { plugins: _plugins, ...shown } = inner;
      kept[name] = visibleMetadata(shown, schema, table);
    }
  }
  return kept;
}

/** The full-text table that the block of a table names. */
const indexOf = (block: unknown): readonly string[] =>
  isObject(block) && typeof block["fts_table"] === "string" ? [block["fts_table"]] : [];

function withIndexAmong(names: ReadonlySet<string>, block: unknown): unknown {
  if (!isObject(block) || indexOf(block).every((name) => names.has(name))) return block;
  const { fts_table: _index, fts_pk: _key, ...shown } = block;
  return shown;
}

async function keepVisible(
  rowhouse: Rowhouse,
  actor: Actor | null,
  block: MetadataBlock,
  chainOf: (name: string) => Chain,
): Promise<readonly [string, unknown][]> {
  return visibleItems(rowhouse.permissions, actor, Object.entries(block), ([name]) => chainOf(name));
}
