import { QueryLinks, queryPairs, without } from "rowhouse/plugin-api";
import type { Pair, Request, Rowhouse } from "rowhouse/plugin-api";

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
export const omittedLinks = ({ absolute, local }: FacetLinks): number => absolute.omitted + local.omitted;
