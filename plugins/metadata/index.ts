import { definePlugin, objectOf } from "rowhouse/plugin-api";
import { checkShape } from "./check-shape.js";
import { mergeUnder } from "./merge.js";
import { metadataTree } from "./tree.js";
import type { Loaded } from "./tree.js";
import type { MetadataBlock, Options, Rowhouse } from "rowhouse/plugin-api";

/** The metadata document: what the person loaded, with plugins' additions under it. */
export default definePlugin({
  name: "metadata",
  provides: ["metadata"],
  apply: (rowhouse) => {
    const loaded = loadedMetadata(rowhouse);
    let current = metadataTree(loaded);
    const reload = async (): Promise<void> => {
      current = metadataTree({ ...loaded, document: await withAdditions(rowhouse, loaded.document) });
    };
    rowhouse.provide("metadata", { current: () => current, reload });
  },
  hooks: {
    // The additions may hold allow blocks.
    get_metadata: {
      kind: "collect",
      enforces: true,
      expects: objectOf("an object like the metadata file"),
    },
  },
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
