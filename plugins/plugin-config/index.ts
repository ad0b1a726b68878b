import { definePlugin } from "rowhouse/plugin-api";
import type { ConfigScope, Rowhouse } from "rowhouse/plugin-api";
import { isObject, resolveReferences } from "./references.js";

/** Plugins' own configuration: the blocks of the metadata at every level, then those the server was started with. */
export default definePlugin({
  name: "plugin-config",
  provides: ["pluginConfig"],
  optional: ["metadata"],
  apply: (rowhouse) =>
    rowhouse.provide("pluginConfig", {
      of(plugin, scope) {
        const sources = rowhouse.option("secretSources") ?? { env: () => null, file: () => "" };
        return resolveReferences(mostSpecificBlock(plugin, levels(rowhouse, scope)), plugin, sources);
      },
    }),
});

/** Places that may hold a `plugins` block, the most specific first. */
function levels(rowhouse: Rowhouse, { database, table }: ConfigScope): readonly unknown[] {
  const metadata = rowhouse.serviceIfAny("metadata")?.current();
  return [
    database !== undefined && table !== undefined ? metadata?.table(database, table) : null,
    database !== undefined ? metadata?.database(database) : null,
    metadata?.document,
    { plugins: rowhouse.option("pluginConfig") },
  ];
}

/** The block of `plugin` on the most specific level that has one; levels are not merged. Null when none has. */
function mostSpecificBlock(plugin: string, levels: readonly unknown[]): unknown {
  for (const level of levels) {
    const blocks = isObject(level) ? level["plugins"] : undefined;
    if (isObject(blocks) && Object.hasOwn(blocks, plugin)) return blocks[plugin];
  }
  return null;
}
