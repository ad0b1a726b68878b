import { isObject, type MetadataBlock } from "rowhouse/plugin-api";
import { NameMap } from "rowhouse/plugin-api/names";
import type { Metadata } from "rowhouse/plugin-api/contracts";

/** A document and its source. */
export type Loaded = Pick<Metadata, "document" | "source" | "placeOf">;

/** One database's block, and those of its tables by name. */
interface Branch {
  readonly block: MetadataBlock;
  readonly tables: NameMap<MetadataBlock>;
}

/**
 * Indexes the levels of a document by name, since lists look up thousands of tables. Names are compared as in SQLite.
 *
 * @param isServed true for the name of a served database: a block with exactly this name applies to no other database
 */
export function metadataTree(
  { document, source, placeOf }: Loaded,
  isServed: (database: string) => boolean = () => false,
): Metadata {
  const branches = new NameMap(
    blocksIn(document, "databases").map(([name, block]): [string, Branch] => [
      name,
      { block, tables: new NameMap(blocksIn(block, "tables")) },
    ]),
    isServed,
  );
  return {
    document,
    source,
    placeOf,
    database: (name) => together(branches.all(name).map(({ block }) => block)),
    table: (name, table) => together(branches.all(name).flatMap(({ tables }) => tables.all(table))),
    queries: (name) => configuredQueries(together(branches.all(name).map(({ block }) => block))),
  };
}

/** The blocks under one key of a block, each with its name. */
export function blocksIn(block: MetadataBlock, key: string): readonly (readonly [string, MetadataBlock])[] {
  const value = Object.hasOwn(block, key) ? block[key] : undefined;
  if (!isObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, MetadataBlock] => isObject(entry[1]));
}

/** Merges the blocks of several spellings of a name. Keys of the first one win. */
function together([first, ...others]: readonly MetadataBlock[]): MetadataBlock {
  if (first === undefined) return NOTHING;
  return others.reduce(mergeUnder, first);
}

/** The shared block of names without metadata. */
const NOTHING: MetadataBlock = Object.freeze({});

const NO_QUERIES: Readonly<Record<string, MetadataBlock>> = Object.freeze({});

function configuredQueries(block: MetadataBlock): Readonly<Record<string, MetadataBlock>> {
  const queries = Object.hasOwn(block, "queries") ? block["queries"] : undefined;
  if (!isObject(queries)) return NO_QUERIES;
  const entries = Object.entries(queries).map(([name, query]): [string, MetadataBlock] => [
    name,
    isObject(query) ? query : { sql: query },
  ]);
  return Object.fromEntries(entries);
}

/** Adds the missing keys of `additions` to `own`, at every depth. */
export function mergeUnder(own: MetadataBlock, additions: MetadataBlock): MetadataBlock {
  const merged = new Map(Object.entries(own));
  for (const [key, added] of Object.entries(additions)) {
    const mine = merged.get(key);
    if (!merged.has(key)) merged.set(key, added);
    else if (isObject(mine) && isObject(added)) merged.set(key, mergeUnder(mine, added));
  }
  return Object.fromEntries(merged);
}
