import type { JumpItem } from "rowhouse/plugin-api/contracts";

/** The items that contain every word of the query, best matches first. Equal matches keep their order. */
export function search(items: readonly JumpItem[], query: string): readonly JumpItem[] {
  const words = query
    .toLowerCase()
    .split(/[\s/]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  const scored = items.map((item) => ({ item, score: scoreOf(item, words) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ item }) => item);
}

/** 0 if a word is missing; otherwise the quality of the match. Names count more than details. */
function scoreOf({ label, detail }: JumpItem, words: readonly string[]): number {
  const name = label.toLowerCase();
  const about = (detail ?? "").toLowerCase();
  let total = 0;
  for (const word of words) {
    const score = Math.max(3 * fit(name, word), fit(about, word), initialsFit(name, word));
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
