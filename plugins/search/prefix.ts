import { publishedIdentifier } from "rowhouse/plugin-api/sql";
import type { Rowhouse } from "rowhouse/plugin-api";
import type { FilterClause } from "rowhouse/plugin-api/contracts";
import { fullTextOf, type SearchRequest } from "./full-text.js";

const MOST_WORDS = 12;

/** The condition that each word of a text begins a word of the row; null without an index that the actor may search. */
export async function startingWith(
  rowhouse: Rowhouse,
  searched: SearchRequest,
  text: string,
): Promise<FilterClause | null> {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS);
  const setup = words.length === 0 ? null : await fullTextOf(rowhouse, searched);
  if (setup === null) return null;
  const { index, key } = setup;
  const name = publishedIdentifier(index.name);
  return {
    where: `${publishedIdentifier(key)} in (select rowid from ${name} where ${name} match :starting_with)`,
    params: { starting_with: prefixes(words, index.module ?? "") },
    // Words of letters and digits in quotes are never an invalid search.
    leakproof: [key],
    description: null,
  };
}

/** FTS5 has the star after the quotes, its predecessors inside of them. */
const prefixes = (words: readonly string[], module: string): string =>
  words.map((word) => (/^fts5/i.test(module) ? `"${word}" *` : `"${word}*"`)).join(" ");
