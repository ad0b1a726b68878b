import { TimeSlices, QueryLinks, without, queryPairs } from "rowhouse/plugin-api";
import type { FacetValue, Pair, Request, Rowhouse } from "rowhouse/plugin-api";
import { facetArgument } from "./requested.js";
import type { RequestedFacet } from "./requested.js";

/** A facet with its values; up to one more than `size`, which tells that there are more. */
export interface FoundFacet {
  readonly facet: RequestedFacet;
  readonly values: readonly FacetValue[];
}

/**
 * `facet_results`: by column name; a second facet of one column is `name_2`. A facet that is asked for several times
 * is computed once and listed twice, since clients look for `name_2` then.
 */
export async function facetResults(
  links: FacetLinks,
  found: readonly FoundFacet[],
  { size, client }: { readonly size: number; readonly client: Request },
): Promise<Readonly<Record<string, unknown>>> {
  const slices = new TimeSlices(client);
  const results = new Map<string, object>();
  const repeated: [column: string, result: object][] = [];
  for (const one of found) {
    const { column } = one.facet;
    const result = facetResult(links, one, size);
    results.set(freeKey(column, results), result);
    if (one.facet.repeated) repeated.push([column, { ...result, hideable: true }]);
    if (slices.isOver) await slices.next();
  }
  for (const [column, result] of repeated) results.set(freeKey(column, results), result);
  return Object.fromEntries(results);
}

function freeKey(column: string, taken: ReadonlyMap<string, unknown>): string {
  let key = column;
  for (let number = 2; taken.has(key); number += 1) key = `${column}_${number}`;
  return key;
}

/** Keys in their published order, which differs between kinds of facet. */
function facetResult(links: FacetLinks, { facet, values }: FoundFacet, size: number): object {
  const { column, type, configured, asked } = facet;
  const unwanted: Pair[] = [[facetArgument(type), column], ...asked];
  const about = { hideable: !configured, toggle_url: links.local.without(unwanted) };
  const results = values.slice(0, size).map(({ value, label, count, argument: selects }) => {
    const { selected, url } = toggle(links.absolute, selects);
    return { value, label, count, toggle_url: url, selected };
  });
  const truncated = values.length > size;
  return type === "column"
    ? { name: column, type, ...about, results, truncated }
    : { name: column, type, results, ...about, truncated };
}

/** The links of the facets of one page, each to its first page of rows. */
export interface FacetLinks {
  /** With scheme and host. */
  readonly absolute: QueryLinks;
  /** Path and query, `base_url` included. */
  readonly local: QueryLinks;
}

export function facetLinks({ urls }: Rowhouse, request: Request): FacetLinks {
  const path = urls.path(request.path);
  const pairs = without(queryPairs(request), "_next");
  return {
    absolute: new QueryLinks(urls.absolute(request, path), pairs),
    local: new QueryLinks(path, pairs),
  };
}

/** Whether an argument is there, and the page with it taken away or added. */
export function toggle(
  links: QueryLinks,
  argument: Pair,
): { readonly selected: boolean; readonly url: string | null } {
  const selected = links.has(argument);
  return { selected, url: selected ? links.without([argument]) : links.with(argument) };
}

/** How many links of a page its query string was too long for. */
export const countOmittedLinks = ({ absolute, local }: FacetLinks): number =>
  absolute.omitted + local.omitted;
