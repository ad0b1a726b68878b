import { isObject, type Database, type MetadataBlock } from "rowhouse/plugin-api";
import type { ReasonedOpinion } from "rowhouse/plugin-api/access";
import { keyText, type KeyPath } from "rowhouse/plugin-api/metadata";
import { NameMap } from "rowhouse/plugin-api/names";
import type { Metadata } from "rowhouse/plugin-api/contracts";

/** A block of the metadata that allows or denies each actor. */
export interface DecidingBlock {
  /** As `actorMatches` takes it. */
  readonly allow: unknown;
  readonly ifMatching: ReasonedOpinion;
  readonly otherwise: ReasonedOpinion;
}

/** The block under a key; null if there is none. Both opinions are made once, since lists run thousands of checks. */
export function decidingBlock(allow: unknown, path: KeyPath, source: string): DecidingBlock | null {
  if (allow === null || allow === undefined) return null;
  const place = `${keyText(path)} in ${source}`;
  return {
    allow,
    ifMatching: { allowed: true, because: `${place} matches` },
    otherwise: { allowed: false, because: `${place} does not match` },
  };
}

/** The deciding blocks of the entries under a key, such as `tables`. */
export const decidingBlocks = (
  block: MetadataBlock,
  key: string,
  decide: (entry: MetadataBlock, name: string) => DecidingBlock | null,
): readonly (readonly [name: string, DecidingBlock])[] =>
  blocksUnder(block, key).flatMap(([name, entry]) => {
    const deciding = decide(entry, name);
    return deciding === null ? [] : [[name, deciding] as const];
  });

/**
 * Values made of the blocks of databases, by name. A block belongs to the database with exactly its spelling if there is
 * one, else to those whose names SQLite treats as equal.
 */
export const byDatabase = <Value>(
  { document }: Metadata,
  databases: ReadonlyMap<string, Database>,
  valueOf: (name: string, block: MetadataBlock) => Value,
): NameMap<Value> =>
  new NameMap(
    blocksUnder(document, "databases").map(([name, block]) => [name, valueOf(name, block)] as const),
    (name) => databases.has(name),
  );

/** The entries under a key of a block that are blocks themselves. */
export function blocksUnder(
  block: MetadataBlock,
  key: string,
): readonly (readonly [name: string, entry: MetadataBlock])[] {
  const inner = ownValue(block, key);
  if (!isObject(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, MetadataBlock] => isObject(entry[1]));
}

/** The value of an own key, else undefined. Keys of metadata may have any name, such as `constructor`. */
export const ownValue = (block: MetadataBlock, key: string): unknown =>
  Object.hasOwn(block, key) ? block[key] : undefined;
