import { actorMatches, keyText } from "rowhouse/plugin-api";
import type { Actor, KeyPath, MetadataBlock, ReasonedOpinion, Resource } from "rowhouse/plugin-api";

/** One source of opinions, already told who asks and for what; null is no opinion. */
export type Rule = (resource: Resource) => ReasonedOpinion | null;

/** The opinion that a block of the metadata makes of an actor. */
export function blockOpinion(
  actor: Actor | null,
  block: unknown,
  path: KeyPath,
  source: string,
): ReasonedOpinion {
  const allowed = actorMatches(actor, block);
  return { allowed, because: `${keyText(path)} in ${source} ${allowed ? "matches" : "does not match"}` };
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
