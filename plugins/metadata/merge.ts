import type { MetadataBlock } from "rowhouse/plugin-api";

/** An object that is neither null nor a list. */
export const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `own` with the keys of `additions` that it lacks, at every depth; where both say something, `own` wins. */
export function mergeUnder(own: MetadataBlock, additions: MetadataBlock): MetadataBlock {
  const merged = new Map(Object.entries(own));
  for (const [key, added] of Object.entries(additions)) {
    const mine = merged.get(key);
    if (!merged.has(key)) merged.set(key, added);
    else if (isBlock(mine) && isBlock(added)) merged.set(key, mergeUnder(mine, added));
  }
  return Object.fromEntries(merged);
}
