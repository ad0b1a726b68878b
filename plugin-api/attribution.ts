import type { MetadataBlock } from "./contracts/metadata.js";

const PUBLISHED = ["source", "source_url", "license", "license_url"] as const;
const PAIRS = [
  ["source", "source_url"],
  ["license", "license_url"],
  ["about", "about_url"],
] as const;
const OWN = ["title", "description", "description_html"] as const;

/** Where the data comes from, as every data document ends: the top-level metadata's own values, those that are set. */
export function publishedAttribution(document: MetadataBlock): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    PUBLISHED.filter((key) => isSet(document[key])).map((key) => [key, document[key]]),
  );
}

/**
 * What a page says about its data: `title`, `description`, `description_html` of its own, and source, license
 * and about with their URLs. These fall back to `inherited`, each text together with its URL, so that nobody's
 * source is linked to somebody else's address.
 */
export function pageMetadata(own: MetadataBlock, inherited: MetadataBlock = {}): MetadataBlock {
  const block = Object.fromEntries(OWN.filter((key) => isSet(own[key])).map((key) => [key, own[key]]));
  for (const pair of PAIRS) {
    const from = pair.some((key) => isSet(own[key])) ? own : inherited;
    for (const key of pair) if (isSet(from[key])) block[key] = from[key];
  }
  return block;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
