import { actorMatches, keyText } from "rowhouse/plugin-api";
import type { Actor, KeyPath, MetadataBlock, ReasonedOpinion, Resource } from "rowhouse/plugin-api";

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

/** Deciding blocks by name: only what says something is in it. */
export type BlocksByName = ReadonlyMap<string, DecidingBlock>;

/** The deciding blocks of all entries under a key of a block, of its `tables` for one. */
export function decidingBlocks(
  block: MetadataBlock,
  key: string,
  decide: (entry: MetadataBlock, name: string) => DecidingBlock | null,
): BlocksByName {
  const found = new Map<string, DecidingBlock>();
  for (const [name, entry] of blocksUnder(block, key)) {
    const deciding = decide(entry, name);
    if (deciding !== null) found.set(name, deciding);
  }
  return found;
}

/** The entries under a key of a block that are blocks themselves. */
export function blocksUnder(
  block: MetadataBlock,
  key: string,
): readonly (readonly [name: string, entry: MetadataBlock])[] {
  const inner = ownValue(block, key);
  if (!isBlock(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, MetadataBlock] => isBlock(entry[1]));
}

/** The value of an own key, undefined where there is none: metadata is data, its keys may be called anything. */
export const ownValue = (block: MetadataBlock, key: string): unknown =>
  Object.hasOwn(block, key) ? block[key] : undefined;

/** The database a resource lies in, or is. */
export const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" ? resource : (resource?.[0] ?? null);

/** True for what JSON calls an object. */
export const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);
