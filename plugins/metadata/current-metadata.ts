import { isObject, type Database, type MetadataBlock, type Rowhouse } from "rowhouse/plugin-api";
import type { Options } from "rowhouse/plugin-api/kernel";
import { byTable } from "rowhouse/plugin-api/metadata";
import { NameMap } from "rowhouse/plugin-api/names";
import type { Metadata } from "rowhouse/plugin-api/contracts";
import { blocksIn, checkShape } from "./check-shape.js";
import { typedBlock } from "./kinds.js";
import { warnOfUnmatchedNames } from "./unmatched-names.js";

/** Provides the service `metadata`, and warns of names in the metadata that match nothing. */
export function provideMetadata(rowhouse: Rowhouse): void {
  const loaded = loadedMetadata(rowhouse);
  const treeOf = (document: MetadataBlock): Metadata =>
    metadataTree({ ...loaded, document }, rowhouse.databases);
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
}

function loadedMetadata(rowhouse: Rowhouse): Loaded {
  const { document, source, placeOf = () => source } = rowhouse.option("metadata") ?? NO_FILE;
  return { document: checkShape(document, placeOf), source, placeOf };
}

const NO_FILE: Options["metadata"] = { document: {}, source: "metadata" };

async function withAdditions(rowhouse: Rowhouse, document: MetadataBlock): Promise<MetadataBlock> {
  const additions = await rowhouse.hooks.get_metadata.promise([], rowhouse, { key: null });
  const checked = additions.map((added) => {
    const plugin = rowhouse.pluginOf(added);
    return checkShape(added, () => `the metadata of ${plugin === null ? "a plugin" : `plugin ${plugin}`}`);
  });
  return mergeUnder(
    document,
    checked.reduce<MetadataBlock>((merged, added) => mergeUnder(added, merged), {}),
  );
}

/** A document and its source. */
type Loaded = Pick<Metadata, "document" | "source" | "placeOf">;

/** One database's block, and those of its tables by name. */
interface Branch {
  readonly block: MetadataBlock;
  readonly tables: NameMap<MetadataBlock>;
}

/**
 * Indexes the levels of a document by name, since lists look up thousands of tables. Names are compared as in SQLite.
 *
 * @param databases that are served: a block with exactly the name of one applies to no other
 */
export function metadataTree(
  { document, source, placeOf }: Loaded,
  databases: ReadonlyMap<string, Database>,
): Metadata {
  const branches = new NameMap(
    blocksIn(document, "databases").map(([name, block]): [string, Branch] => [
      name,
      {
        block,
        tables: byTable(
          databases,
          name,
          blocksIn(block, "tables").map(([table, inner]) => [table, typedBlock("table", inner)]),
        ),
      },
    ]),
    (name) => databases.has(name),
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
    isObject(query) ? typedBlock("query", query) : { sql: query },
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
