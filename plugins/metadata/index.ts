import { definePlugin } from "rowhouse/plugin-api";
import { checkShape } from "./check-shape.js";
import { mergeUnder } from "./merge.js";
import { metadataTree } from "./tree.js";
import type { MetadataBlock, Rowhouse } from "rowhouse/plugin-api";

/** The metadata document: what the person loaded, with plugins' additions under it. */
export default definePlugin({
  name: "metadata",
  apply: (rowhouse) => {
    const loaded = loadedMetadata(rowhouse);
    let current = metadataTree(loaded.document, loaded.source);
    const reload = async (): Promise<void> => {
      current = metadataTree(await withAdditions(rowhouse, loaded.document), loaded.source);
    };
    rowhouse.provide("metadata", { current: () => current, reload });
  },
  hooks: { get_metadata: "transform" },
  startup: { order: "early", run: (rowhouse) => rowhouse.service("metadata").reload() },
});

interface Loaded {
  readonly document: MetadataBlock;
  readonly source: string;
}

function loadedMetadata(rowhouse: Rowhouse): Loaded {
  const option = rowhouse.option("metadata");
  if (option === undefined) return { document: {}, source: "metadata" };
  return { document: checkShape(option.document, option.source), source: option.source };
}

async function withAdditions(rowhouse: Rowhouse, document: MetadataBlock): Promise<MetadataBlock> {
  const additions = await rowhouse.hooks.get_metadata.promise({}, rowhouse, { key: null });
  return mergeUnder(document, checkShape(additions, "the metadata of a plugin"));
}
