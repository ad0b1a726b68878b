import { definePlugin, type Database, type MetadataBlock, type Rowhouse } from "rowhouse/plugin-api";
import { bundledHooks, type Metadata } from "rowhouse/plugin-api/contracts";
import type { Options } from "rowhouse/plugin-api/kernel";
import { checkShape } from "./check-shape.js";
import { mergeUnder, metadataTree } from "./tree.js";
import type { Loaded } from "./tree.js";
import { warnOfUnmatchedNames } from "./unmatched-names.js";

/** The metadata: the loaded file with additions of plugins. */
export default definePlugin({
  name: "metadata",
  deterministic: true,
  unguarded: true,
  provides: ["metadata"],
  optional: ["queries"],
  apply: (rowhouse) => {
    const loaded = loadedMetadata(rowhouse);
    const treeOf = (document: MetadataBlock): Metadata =>
      metadataTree({ ...loaded, document }, (database) => rowhouse.databases.has(database));
    let current = treeOf(loaded.document);
    let isStarted = false;
    const reload = async (): Promise<void> => {
      current = treeOf(await withAdditions(rowhouse, loaded.document));
      if (isStarted) await warnOfUnmatchedNames(rowhouse, current);
    };
    rowhouse.provide("metadata", { current: () => current, reload });
    // Runs last, since plugins add databases at start.
    rowhouse.hooks.startup.tapPromise({ name: "metadata", stage: Number.MAX_SAFE_INTEGER }, async () => {
      await warnOfUnmatchedNames(rowhouse, current);
      isStarted = true;
    });
    rowhouse.hooks.open_database.intercept({
      result: (database) => {
        if (!isStarted) return;
        warnOfUnmatchedNames(rowhouse, current, database as Database).catch((error: unknown) => {
          rowhouse.log.error("The names in the metadata could not be checked", error);
        });
      },
    });
  },
  hooks: bundledHooks.metadata,
  startup: { order: "early", run: (rowhouse) => rowhouse.service("metadata").reload() },
});

function loadedMetadata(rowhouse: Rowhouse): Loaded {
  const { document, source, placeOf = () => source } = rowhouse.option("metadata") ?? NOTHING;
  return { document: checkShape(document, placeOf), source, placeOf };
}

const NOTHING: Options["metadata"] = { document: {}, source: "metadata" };

async function withAdditions(rowhouse: Rowhouse, document: MetadataBlock): Promise<MetadataBlock> {
  const additions = await rowhouse.hooks.get_metadata.promise([], rowhouse, { key: null });
  const checked = additions.map((added) => checkShape(added, () => "the metadata of a plugin"));
  return mergeUnder(
    document,
    checked.reduce<MetadataBlock>((merged, added) => mergeUnder(added, merged), {}),
  );
}
