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
  const { dialect } = searched.database;
  const parameter = "starting_with";
  return {
    where: dialect.fullTextMatch({ index, column: null, key, parameter, raw: true }),
    params: { [parameter]: dialect.searchForPrefixes(index, words) },
    // A search for words of letters and digits is never invalid.
    leakproof: [key],
    description: null,
  };
}
