/**
 * The first `limit` characters and `…`; the complete text if it fits or the limit is 0. Never splits a character into
 * its surrogates.
 *
 * @example
 * shortText("Orlando", 3); // "Orl…"
 */
export function shortText(text: string, limit: number): string {
  if (limit === 0 || text.length <= limit) return text;
  const characters = firstCharacters(text, limit);
  return characters.length === text.length ? text : `${characters}…`;
}

/**
 * The first `count` characters. One outside of the Basic Multilingual Plane, such as an emoji, counts once.
 *
 * @example
 * firstCharacters("😀😀😀", 2); // "😀😀"
 */
export function firstCharacters(text: string, count: number): string {
  const units = text.slice(0, count);
  // Few texts have pairs of surrogates. To look for them takes a hundredth of the time of counting.
  if (!PAIR.test(units)) return units;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

const PAIR = /[\ud800-\udbff]/;

const BEGINS_AS_JSON = /^\s*(?:\{\s*["}]|\[\s*["[{\]\d-])/;
/** Labels may be cut already. */
const ENDS_AS_JSON = /[}\]\u2026]\s*$/;
const MOST_CHARACTERS = 50;

/**
 * The beginning of a JSON object or array in one line, for a label; null for other texts, and if the text is short enough
 * as it is. Show the complete text as title.
 *
 * @example
 * shortJson("[\n  1,\n  2\n]"); // "[ 1, 2 ]"
 */
export function shortJson(text: string): string | null {
  if (!BEGINS_AS_JSON.test(text) || !ENDS_AS_JSON.test(text)) return null;
  const short = shortText(text.slice(0, 1_000).replaceAll(/\s+/g, " ").trim(), MOST_CHARACTERS);
  return short === text ? null : short;
}
