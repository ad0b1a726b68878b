import { Html, raw, type MetadataBlock } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";
import { isSafeLink } from "./links.js";

export interface Credit {
  readonly kind: "license" | "source" | "about";
  /** `Data license`, `Data source`, `About` */
  readonly heading: string;
  readonly label: string;
  readonly href: string | null;
}

/** The facts about the data of a page: under the heading, and in the footer. */
export interface Description {
  readonly description: Html | string | null;
  readonly credits: readonly Credit[];
}

const CREDITS = [
  ["license", "credits.license"],
  ["source", "credits.source"],
  ["about", "credits.about"],
] as const;

/** Description and credits from a metadata block that contains inherited values. */
export function describe(block: MetadataBlock, t: Translator["t"]): Description {
  const credits = CREDITS.flatMap(([kind, heading]) => creditOf(block, kind, t(heading)) ?? []);
  return { description: descriptionOf(block), credits };
}

function creditOf(block: MetadataBlock, kind: Credit["kind"], heading: string): Credit | null {
  const name = text(block[kind]);
  const url = text(block[`${kind}_url`]);
  if (name === null && url === null) return null;
  return { kind, heading, label: name ?? url ?? "", href: url !== null && isSafeLink(url) ? url : null };
}

function descriptionOf(block: MetadataBlock): Html | string | null {
  const markup = text(block["description_html"]);
  // The metadata belongs to the operator of the server: `description_html` is defined as markup.
  return markup === null ? text(block["description"]) : raw(markup);
}

/** A metadata value as text; null if it is missing or empty. */
export const text = (value: unknown): string | null =>
  value === null || value === undefined || value === "" ? null : String(value);

const LONGEST_TEASER = 240;

/** The beginning of a description, for one line of text. */
export function teaserOf(description: Description["description"]): Html | string {
  if (description === null) return "";
  if (!(description instanceof Html)) return description.slice(0, LONGEST_TEASER);
  // Without tags nothing is left that a browser reads as markup. Entities stay what they are.
  const words = description.markup
    .replaceAll(/<[^>]*>?/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return raw(words.length > LONGEST_TEASER ? words.slice(0, LONGEST_TEASER).replace(/&[^;]*$/, "") : words);
}
