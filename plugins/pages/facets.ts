import { cssClass } from "rowhouse/plugin-api/html";
import { QueryLinks, TimeSlices, queryPairs, without } from "rowhouse/plugin-api/http";
import type { Page, Rowhouse, Visit } from "rowhouse/plugin-api";
import { formattedNumber } from "./formatted-numbers.js";
import { ownPath } from "./links.js";

/** A facet of the published document. */
interface FacetResult {
  readonly name: string;
  readonly type: string;
  readonly hideable: boolean;
  readonly toggle_url: string | null;
  readonly truncated: boolean;
  readonly results: readonly FacetValue[];
}

interface FacetValue {
  readonly value: unknown;
  readonly label: unknown;
  readonly count: number;
  readonly toggle_url: string | null;
  readonly selected: boolean;
}

interface SuggestedFacet {
  readonly name: string;
  readonly type?: string;
  readonly toggle_url: string | null;
}

/** The boxes of facets, the one with most values first, and the suggested facets. */
export async function facetContext(rowhouse: Rowhouse, { data, context }: Page, { request }: Visit) {
  const results = Object.values((data["facet_results"] ?? {}) as Readonly<Record<string, FacetResult>>);
  const anchors = anchorsOf(results);
  const suggested = (data["suggested_facets"] ?? []) as readonly SuggestedFacet[];
  const links = new QueryLinks(ownPath(rowhouse, request), without(queryPairs(request), "_facet_size"));
  const slices = new TimeSlices(request);
  const facets: ReturnType<typeof facetBox>[] = [];
  for (const facet of [...anchors.keys()].toSorted(fullestFirst)) {
    const box = {
      ...facetBox(facet, request.origin),
      anchor: anchors.get(facet),
      all_values_url: facet.truncated ? links.with(["_facet_size", "max"]) : null,
    };
    facets.push(box);
    if (slices.isOver) await slices.next();
  }
  return {
    facets,
    facet_links_omitted: context?.["facetLinksOmitted"] === true,
    suggested: suggested.map((facet) => ({
      name: facet.name,
      kind: facet.type === undefined || facet.type === "column" ? null : facet.type,
      href:
        facet.toggle_url === null
          ? null
          : `${onSite(facet.toggle_url, request.origin)}#${anchorOf(facet, [...anchors.keys()])}`,
    })),
  };
}

/**
 * The facets to show and the ids of their boxes. A column that both metadata and address name is in the list twice
 * with the same values; only the first is shown.
 */
function anchorsOf(results: readonly FacetResult[]): ReadonlyMap<FacetResult, string> {
  const anchors = new Map<FacetResult, string>();
  for (const facet of results) {
    const shown = [...anchors.keys()];
    if (shown.some(({ name, type }) => name === facet.name && type === facet.type)) continue;
    anchors.set(facet, anchorOf(facet, shown));
  }
  return anchors;
}

/** `facet-<column>`, followed by the type if a facet of another type has this id. */
function anchorOf(
  { name, type = "column" }: SuggestedFacet | FacetResult,
  others: readonly FacetResult[],
): string {
  const isTaken = type !== "column" && others.some((other) => other.name === name);
  return `facet-${cssClass(name)}${isTaken ? `:${cssClass(type)}` : ""}`;
}

const fullestFirst = (left: FacetResult, right: FacetResult): number =>
  right.results.length - left.results.length || (left.name < right.name ? 1 : -1);

/** The published address without scheme and host, because a page has many of them. */
const onSite = <Url extends string | null>(url: Url, origin: string): Url | string =>
  url?.startsWith(`${origin}/`) === true ? url.slice(origin.length) : url;

function facetBox(facet: FacetResult, origin: string) {
  const most = Math.max(1, ...facet.results.map(({ count }) => count));
  return {
    ...facet,
    toggle_url: onSite(facet.toggle_url, origin),
    kind: facet.type === "column" ? null : facet.type,
    size: `${facet.truncated ? ">" : ""}${formattedNumber(facet.results.length)}`,
    values: facet.results.map((result) => facetValue(result, most, origin)),
  };
}

function facetValue(result: FacetValue, most: number, origin: string) {
  const text = shownLabel(result.label);
  // The filter form cannot contain a BLOB.
  const value = result.value === null || result.value instanceof Uint8Array ? "" : String(result.value);
  return {
    ...result,
    toggle_url: onSite(result.toggle_url, origin),
    text,
    /** The value to filter by if it differs from the text; null otherwise. */
    other_value: value === text ? null : value,
    count: formattedNumber(result.count),
    /** The length of its bar: percent of the most frequent value. */
    share: Math.round((100 * result.count) / most),
  };
}

const MOST_SHOWN_BYTES = 24;

function shownLabel(label: unknown): string {
  if (label === null || label === "") return "-";
  if (!(label instanceof Uint8Array)) return String(label);
  const digits = Buffer.from(label.subarray(0, MOST_SHOWN_BYTES)).toString("hex");
  return `x'${digits}${label.length > MOST_SHOWN_BYTES ? "…" : "'"}`;
}
