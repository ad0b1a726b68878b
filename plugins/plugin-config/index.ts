import { isObject, definePlugin, messageOf, StartupError, type Rowhouse } from "rowhouse/plugin-api";
import type { ConfigScope, MetadataBlock, SecretSources } from "rowhouse/plugin-api/contracts";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

/** The configuration of plugins: blocks of the metadata at every level, then the start options. */
export default definePlugin({
  name: "plugin-config",
  deterministic: true,
  unguarded: true,
  provides: ["pluginConfig"],
  optional: ["metadata"],
  setup: (rowhouse) =>
    rowhouse.provide("pluginConfig", {
      of(plugin, scope) {
        const sources = rowhouse.option("secretSources") ?? { env: () => null, file: () => "" };
        return resolveReferences(mostSpecificBlock(plugin, levels(rowhouse, scope)), plugin, sources);
      },
    }),
});

/** The levels that may have a `plugins` block, most specific first. */
function levels(rowhouse: Rowhouse, { database, table }: ConfigScope): readonly MetadataBlock[] {
  const metadata = currentMetadata(rowhouse);
  return [
    ...(database !== undefined && table !== undefined ? [metadata.table(database, table)] : []),
    ...(database === undefined ? [] : [metadata.database(database)]),
    metadata.document,
    { plugins: rowhouse.option("pluginConfig") },
  ];
}

/** The block of `plugin` on the most specific level that has one; levels are not merged. Null when none has. */
function mostSpecificBlock(plugin: string, levels: readonly MetadataBlock[]): unknown {
  for (const { plugins: blocks } of levels) {
    if (isObject(blocks) && Object.hasOwn(blocks, plugin)) return blocks[plugin];
  }
  return null;
}

/**
 * Replaces `{"$env": "NAME"}` by the variable (null if it is not set) and `{"$file": "path"}` by the text of the file
 * without its last line break, at any depth.
 *
 * @throws StartupError with the plugin and the path if a file cannot be read
 */
function resolveReferences(value: unknown, plugin: string, sources: SecretSources): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, plugin, sources));
  if (!isObject(value)) return value;
  const { $env: variable, $file: path } = value;
  if (Object.keys(value).length === 1 && typeof variable === "string") return sources.env(variable);
  if (Object.keys(value).length === 1 && typeof path === "string") return fileText(path, plugin, sources);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveReferences(item, plugin, sources)]),
  );
}

function fileText(path: string, plugin: string, sources: SecretSources): string {
  try {
    return sources.file(path).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = messageOf(cause);
    throw new StartupError(`Configuration of plugin ${plugin}: ${path} can't be read: ${reason}`, 1, {
      cause,
    });
  }
}
