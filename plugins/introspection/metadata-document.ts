import { maskPlugins, visibleMetadata } from "rowhouse/plugin-api";
import type { Actor, Chain, MetadataBlock, Rowhouse, Visit } from "rowhouse/plugin-api";

/**
 * The metadata as it was loaded, without the databases, tables and queries that the actor may not view, and
 * without the secrets in plugins' configuration.
 */
export async function metadataDocument({ rowhouse, actor }: Visit<"instance">): Promise<MetadataBlock> {
  const document = maskPlugins(rowhouse.serviceIfAny("metadata")?.current().document ?? {});
  if (!isBlock(document["databases"])) return document;
  const databases = await keepVisible(rowhouse, actor, document["databases"], viewDatabase);
  const entries = await Promise.all(
    databases.map(
      async ([name, block]) => [name, await visibleDatabase(rowhouse, actor, name, block)] as const,
    ),
  );
  return { ...document, databases: Object.fromEntries(entries) };
}

const viewDatabase = (name: string): Chain => [
  ["view-database", name],
  ["view-instance", null],
];

async function visibleDatabase(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  value: unknown,
): Promise<unknown> {
  if (!isBlock(value)) return value;
  const part = async (key: string, action: string): Promise<MetadataBlock> => {
    const block = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!isBlock(block)) return {};
    const kept = await keepVisible(rowhouse, actor, block, (name) => [
      [action, [database, name]],
      ...viewDatabase(database),
    ]);
    const entries = kept.map(([name, inner]) => [name, isBlock(inner) ? maskPlugins(inner) : inner] as const);
    return { [key]: Object.fromEntries(entries) };
  };
  const tables = await part("tables", "view-table");
  const shown = isBlock(tables["tables"])
    ? { tables: await withoutHidden(rowhouse, actor, database, tables["tables"]) }
    : tables;
  const queries = await part("queries", "view-query");
  return { ...maskPlugins(value), ...shown, ...queries };
}

/** Where something of a table is hidden, neither hidden columns are named nor how plugins hide them. */
async function withoutHidden(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  block: MetadataBlock,
): Promise<MetadataBlock> {
  const served = rowhouse.databases.get(database);
  if (served === undefined) return block;
  // Only the plugin tables knows what is hidden; without it nothing is published.
  const tables = rowhouse.serviceIfAny("tables");
  if (tables === null) return {};
  const schema = await served.schema();
  const named = Object.keys(block).flatMap((name) => schema.tables.get(name) ?? []);
  const readable = await tables.readable(actor, served, named);
  const kept: Record<string, unknown> = { ...block };
  for (const { narrowed, table } of readable) {
    const inner = block[table.name];
    if (!narrowed || !isBlock(inner)) continue;
    const { plugins: _plugins, ...said } = inner;
    kept[table.name] = visibleMetadata(said, schema, table);
  }
  return kept;
}

async function keepVisible(
  rowhouse: Rowhouse,
  actor: Actor | null,
  block: MetadataBlock,
  chainOf: (name: string) => Chain,
): Promise<readonly [string, unknown][]> {
  return rowhouse.visibleAmong(actor, Object.entries(block), ([name]) => chainOf(name));
}

/** An object that is neither null nor a list. */
const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);
