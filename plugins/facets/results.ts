import { TimeSlices, QueryLinks, without, queryPairs, type Pair } from "rowhouse/plugin-api/http";
import type { Request, Rowhouse } from "rowhouse/plugin-api";
import type { FacetValue } from "rowhouse/plugin-api/contracts";
import { freeName } from "rowhouse/plugin-api/names";
import { facetArgument, type RequestedFacet } from "./requested.js";

/** A facet with its values. One value more than `size` means that there are more. */
export interface FoundFacet {
  readonly facet: RequestedFacet;
  readonly values: readonly FacetValue[];
}

/**
 * `facet_results`, by column name. A second facet of one column is `name_2`. A facet that is requested several times
 * is computed once and listed up to three times, because clients then expect `name_2` and `name_3`. A map keeps the
 * order of names like `2020`.
 */
export async function facetResults(
  links: FacetLinks,
  found: readonly FoundFacet[],
  { size, client }: { readonly size: number; readonly client: Request },
): Promise<ReadonlyMap<string, object>> {
  const slices = new TimeSlices(client);
  const results = new Map<string, object>();
  const made = new Map<FoundFacet, object>();
  for (const one of inOrderOfRequest(found)) {
    const first = made.get(one);
    const result = first === undefined ? facetResult(links, one, size) : { ...first, hideable: true };
    made.set(one, result);
    results.set(freeName(one.facet.column, results), result);
    if (slices.isOver) await slices.next();
  }
  return results;
}

/** A hundred copies of a facet with long links would be a reply of a hundred megabytes. */
const MOST_LISTED = 3;

/** Each facet at its first places among those of its type. */
function inOrderOfRequest(found: readonly FoundFacet[]): readonly FoundFacet[] {
  const types = [...new Set(found.map(({ facet }) => facet.type))];
  return types.flatMap((type) =>
    found
      .filter(({ facet }) => facet.type === type)
      .flatMap((one) => one.facet.places.slice(0, MOST_LISTED).map((place) => ({ one, place })))
      .toSorted((left, right) => left.place - right.place)
      .map(({ one }) => one),
  );
}

/** One facet, with keys in published order, which differs between types. */
function facetResult(links: FacetLinks, { facet, values }: FoundFacet, size: number): object {
  const { column, type, configured, requestedBy } = facet;
  const unwanted: Pair[] = [[facetArgument(type), column], ...requestedBy];
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

/** Link builders for the facets of one page. Links lead to the first page of rows. */
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

/** Whether the page has an argument, and the URL of the page without it or with it. */
function toggle(
  links: QueryLinks,
  argument: Pair,
): { readonly selected: boolean; readonly url: string | null } {
  const selected = links.has(argument);
  return { selected, url: selected ? links.without([argument]) : links.with(argument) };
}

/** How many links were omitted because the query string is too long. */
export const countOmittedLinks = ({ absolute, local }: FacetLinks): number =>
  absolute.omitted + local.omitted;
