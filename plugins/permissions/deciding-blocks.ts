import { isObject, NameMap, actorMatches, keyText } from "rowhouse/plugin-api";
import type {
  Actor,
  Database,
  KeyPath,
  Metadata,
  MetadataBlock,
  ReasonedOpinion,
  Resource,
} from "rowhouse/plugin-api";

/** One source of opinions on one action; null is no opinion. */
export type Rule = (actor: Actor | null, resource: Resource) => ReasonedOpinion | null;

/** A block of the metadata that says yes or no to whoever asks. */
export interface DecidingBlock {
  opinionOn(actor: Actor | null): ReasonedOpinion;
}

/** The block under a key, null where there is none or it says nothing. Both answers are ready: lists ask thousands. */
export function decidingBlock(allow: unknown, path: KeyPath, source: string): DecidingBlock | null {
  if (allow === null || allow === undefined) return null;
  const place = `${keyText(path)} in ${source}`;
  const yes = { allowed: true, because: `${place} matches` };
  const no = { allowed: false, because: `${place} does not match` };
  return { opinionOn: (actor) => (actorMatches(actor, allow) ? yes : no) };
}

/** The opinion of blocks about the same thing: a refusal beats a grant. Null where there is no block. */
export function strictest(blocks: readonly DecidingBlock[], actor: Actor | null): ReasonedOpinion | null {
  let first: ReasonedOpinion | null = null;
  for (const block of blocks) {
    const opinion = block.opinionOn(actor);
    if (!opinion.allowed) return opinion;
    first ??= opinion;
  }
  return first;
}

/** Deciding blocks by name: only what says something is in it. */
export type BlocksByName = NameMap<DecidingBlock>;

/** The deciding blocks of all entries under a key of a block, of its `tables` for one. */
export function decidingBlocks(
  block: MetadataBlock,
  key: string,
  decide: (entry: MetadataBlock, name: string) => DecidingBlock | null,
): BlocksByName {
  return new NameMap(
    blocksUnder(block, key).flatMap(([name, entry]): [string, DecidingBlock][] => {
      const deciding = decide(entry, name);
      return deciding === null ? [] : [[name, deciding]];
    }),
  );
}

/**
 * What the blocks of databases say, by name. A block is of the database that is spelt like it where there is one, else
 * of any that SQLite takes for the same.
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

/** The value of an own key, undefined where there is none: metadata is data, its keys may be called anything. */
export const ownValue = (block: MetadataBlock, key: string): unknown =>
  Object.hasOwn(block, key) ? block[key] : undefined;

/** The database a resource lies in, or is. */
export const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" ? resource : (resource?.[0] ?? null);
