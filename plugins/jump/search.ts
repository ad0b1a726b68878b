import type { Request } from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { TimeSlices } from "rowhouse/plugin-api/http";

/** More words of a query are ignored: each is looked for in every item. */
const MOST_WORDS = 10;

/** The first words of a text in lower case, each once. */
export const wordsOf = (query: string): readonly string[] =>
  [...new Set(query.toLowerCase().split(/[\s/]+/))].filter((word) => word !== "").slice(0, MOST_WORDS);

/** An entry with further words that find it. */
export interface SearchedItem extends JumpItem {
  readonly words?: string;
}

/** A match is less worth in an entry that comes `later`, but more than a worse match in another. */
const LATER = 0.5;

/**
 * The items that contain every word of the query, best matches first, then those that were found by the query. Equal
 * matches keep their order. Computed in slices: there may be thousands of items.
 *
 * @throws QueryInterrupted if the client has disconnected
 */
export async function search<Item extends SearchedItem>(
  items: readonly Item[],
  query: string,
  client: Pick<Partial<Request>, "signal">,
): Promise<readonly Item[]> {
  const words = wordsOf(query);
  if (words.length === 0) return items.filter(({ later, found }) => later !== true && found !== true);
  const slices = new TimeSlices(client);
  const scored: { readonly item: Item; readonly score: number }[] = [];
  for (const item of items) {
    if (slices.isOver) await slices.next();
    if (item.found === true) continue;
    const score = scoreOf(item, words) - (item.later === true ? LATER : 0);
    if (score > 0) scored.push({ item, score });
  }
  return [
    ...scored.toSorted((left, right) => right.score - left.score).map(({ item }) => item),
    ...items.filter(({ found }) => found === true),
  ];
}

/** 0 if a word is missing; otherwise the quality of the match. Names count more than details. */
function scoreOf({ label, detail, words: further = "" }: SearchedItem, words: readonly string[]): number {
  const name = label.toLowerCase();
  const about = (detail ?? "").toLowerCase();
  let total = 0;
  for (const word of words) {
    const score = Math.max(
      3 * fit(name, word),
      fit(about, word),
      initialsFit(name, word),
      fit(further, word) > 1 ? 1 : 0,
    );
    if (score === 0) return 0;
    total += score;
  }
  return total;
}

/** 4: equal, 3: the text begins with it, 2: a word of the text begins with it, 1: the text contains it. */
function fit(text: string, word: string): number {
  if (text === word) return 4;
  const place = text.indexOf(word);
  if (place <= 0) return place === 0 ? 3 : 0;
  return /[^\p{L}\p{N}]/u.test(text.charAt(place - 1)) ? 2 : 1;
}

/** `cy` finds `country_years`. */
function initialsFit(name: string, word: string): number {
  const initials = name
    .split(/[^\p{L}\p{N}]+/u)
    .map((part) => part.charAt(0))
    .join("");
  return word.length > 1 && initials.startsWith(word) ? 1 : 0;
}
