import { maskPlugins } from "rowhouse/plugin-api";
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
  const queries = await part("queries", "view-query");
  return { ...maskPlugins(value), ...tables, ...queries };
}

async function keepVisible(
  rowhouse: Rowhouse,
  actor: Actor | null,
  block: MetadataBlock,
  chainOf: (name: string) => Chain,
): Promise<readonly [string, unknown][]> {
  const entries = Object.entries(block);
  const answers = await rowhouse.visibilityMany(
    actor,
    entries.map(([name]) => chainOf(name)),
  );
  return entries.filter((_entry, index) => answers[index]?.visible === true);
}

/** An object that is neither null nor a list. */
const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);
