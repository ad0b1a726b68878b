import type { Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { isBlock } from "./merge.js";

/** A document and where it was loaded from. */
export type Loaded = Pick<Metadata, "document" | "source" | "placeOf">;

/** The levels of a document. Names are looked up as own keys only, so that no name reaches a prototype. */
export function metadataTree({ document, source, placeOf }: Loaded): Metadata {
  const database = (name: string): MetadataBlock => child(child(document, "databases"), name);
  return {
    document,
    source,
    placeOf,
    database,
    table: (name, table) => child(child(database(name), "tables"), table),
    queries: (name) => configuredQueries(child(database(name), "queries")),
  };
}

function child(block: MetadataBlock, key: string): MetadataBlock {
  const value = Object.hasOwn(block, key) ? block[key] : undefined;
  return isBlock(value) ? value : {};
}

function configuredQueries(queries: MetadataBlock): Readonly<Record<string, MetadataBlock>> {
  const entries = Object.entries(queries).map(([name, query]): [string, MetadataBlock] => [
    name,
    isBlock(query) ? query : { sql: query },
  ]);
  return Object.fromEntries(entries);
}
