import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import type * as YamlModule from "yaml";
import { isObject, type MetadataBlock } from "rowhouse/plugin-api";
import type { PlaceOf } from "rowhouse/plugin-api/contracts";
import type { Options } from "rowhouse/plugin-api/kernel";
import type { KeyPath } from "rowhouse/plugin-api/metadata";
import { mergeDeep, type MetadataLayer } from "../arguments/choices.js";

/** The layers as one document, weakest first, with the source of each value; null without layers. */
export function joinLayers(layers: readonly MetadataLayer[]): Options["metadata"] | null {
  const [first] = layers;
  if (first === undefined) return null;
  return {
    document: layers.reduce<MetadataBlock>((merged, { document }) => mergeDeep(merged, document), {}),
    source: first.source,
    placeOf: placeIn(layers),
  };
}

/** The strongest layer with a value at the path, and its line. */
function placeIn(layers: readonly MetadataLayer[]): PlaceOf {
  return (path) => {
    const layer = layers.findLast(({ document }) => states(document, path)) ?? layers[0];
    if (layer === undefined) return "metadata";
    const line = layer.file === null ? null : lineOf(layer.file, [...layer.under, ...path]);
    return line === null ? layer.source : `${layer.source}, line ${line}`;
  };
}

function states(document: MetadataBlock, path: KeyPath): boolean {
  let value: unknown = document;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}

type Yaml = Pick<typeof YamlModule, "LineCounter" | "isMap" | "parseDocument">;

const CODE: ReadonlySet<string> = new Set([".js", ".cjs", ".mjs", ".ts"]);

/** The line of a key in a file of JSON or YAML, or of the nearest existing key above it. */
function lineOf(file: string, path: KeyPath): number | null {
  if (CODE.has(extname(file))) return null;
  // Needed only for error messages.
  const { LineCounter, isMap, parseDocument } = createRequire(import.meta.url)("yaml") as Yaml;
  const lineCounter = new LineCounter();
  let node: unknown = parseDocument(readFileSync(file, "utf8"), { lineCounter }).contents;
  let offset: number | null = null;
  for (const key of path) {
    if (!isMap(node)) break;
    const pair = node.items.find((item) => String(item.key) === key);
    if (pair === undefined) break;
    offset = (pair.key as { readonly range?: readonly number[] }).range?.[0] ?? offset;
    node = pair.value;
  }
  return offset === null ? null : lineCounter.linePos(offset).line;
}
