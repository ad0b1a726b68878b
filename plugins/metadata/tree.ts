import type { Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { isBlock } from "./merge.js";

/** A document and where it was loaded from. */
export type Loaded = Pick<Metadata, "document" | "source" | "placeOf">;

/** One database's block, and those of its tables by name. */
interface Branch {
  readonly block: MetadataBlock;
  readonly tables: ReadonlyMap<string, MetadataBlock>;
}

/** The levels of a document, found by name at once: lists ask about thousands of tables. */
export function metadataTree({ document, source, placeOf }: Loaded): Metadata {
  const branches = new Map(
    [...blocksIn(document, "databases")].map(([name, block]): [string, Branch] => [
      name,
      { block, tables: blocksIn(block, "tables") },
    ]),
  );
  return {
    document,
    source,
    placeOf,
    database: (name) => branches.get(name)?.block ?? NOTHING,
    table: (name, table) => branches.get(name)?.tables.get(table) ?? NOTHING,
    queries: (name) => configuredQueries(branches.get(name)?.block ?? NOTHING),
  };
}

/** The blocks under one key of a block, by name. */
function blocksIn(block: MetadataBlock, key: string): ReadonlyMap<string, MetadataBlock> {
  const value = Object.hasOwn(block, key) ? block[key] : undefined;
  if (!isBlock(value)) return new Map();
  return new Map(
    Object.entries(value).filter((entry): entry is [string, MetadataBlock] => isBlock(entry[1])),
  );
}

/** Most of what is asked about has no block: there is one for all of it. */
const NOTHING: MetadataBlock = Object.freeze({});

const NO_QUERIES: Readonly<Record<string, MetadataBlock>> = Object.freeze({});

function configuredQueries(block: MetadataBlock): Readonly<Record<string, MetadataBlock>> {
  const queries = Object.hasOwn(block, "queries") ? block["queries"] : undefined;
  if (!isBlock(queries)) return NO_QUERIES;
  const entries = Object.entries(queries).map(([name, query]): [string, MetadataBlock] => [
    name,
    isBlock(query) ? query : { sql: query },
  ]);
  return Object.fromEntries(entries);
}
