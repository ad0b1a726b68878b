import type { Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { isBlock } from "./merge.js";

/** A document and where it was loaded from. */
export type Loaded = Pick<Metadata, "document" | "source" | "placeOf">;

/** The levels of a document. Names are looked up as own keys only, so that no name reaches a prototype. */
export function metadataTree({ document, source, placeOf }: Loaded): Metadata {
  const databases = child(document, "databases");
  const database = (name: string): MetadataBlock => child(databases, name);
  return {
    document,
    source,
    placeOf,
    database,
    table: (name, table) => {
      const own = database(name);
      return own === NOTHING ? NOTHING : child(child(own, "tables"), table);
    },
    queries: (name) => configuredQueries(child(database(name), "queries")),
  };
}

function child(block: MetadataBlock, key: string): MetadataBlock {
  const value = Object.hasOwn(block, key) ? block[key] : undefined;
  return isBlock(value) ? value : NOTHING;
}

/** Most of what is asked about has no block: there is one for all of it. */
const NOTHING: MetadataBlock = Object.freeze({});

const NO_QUERIES: Readonly<Record<string, MetadataBlock>> = Object.freeze({});

function configuredQueries(queries: MetadataBlock): Readonly<Record<string, MetadataBlock>> {
  if (queries === NOTHING) return NO_QUERIES;
  const entries = Object.entries(queries).map(([name, query]): [string, MetadataBlock] => [
    name,
    isBlock(query) ? query : { sql: query },
  ]);
  return Object.fromEntries(entries);
}
