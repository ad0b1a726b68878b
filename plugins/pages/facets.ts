import {
  cssClass,
  shortJson,
  shortText,
  type Translator,
  numberFormats,
  shownNumber,
} from "rowhouse/plugin-api/html";
import { contextOf, QueryLinks, TimeSlices, queryPairs, without } from "rowhouse/plugin-api/http";
import { isNumber } from "rowhouse/plugin-api/engine";
import type { Page, SqlValue, Visit } from "rowhouse/plugin-api";
import { facetResultsOf, type ColumnFacts, type MetadataBlock } from "rowhouse/plugin-api/contracts";
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
export async function facetContext(page: Page, { rowhouse, request }: Visit, reader: Translator) {
  const { data, context } = page;
  const { columns, metadata } = contextOf<"table">(page);
  const results = facetResultsOf(page) as readonly FacetResult[];
  const anchors = anchorsOf(results);
  const suggested = (data["suggested_facets"] ?? []) as readonly SuggestedFacet[];
  const links = new QueryLinks(ownPath(rowhouse, request), without(queryPairs(request), "_facet_size"));
  const slices = new TimeSlices(request);
  const facets: ReturnType<typeof facetBox>[] = [];
  for (const facet of [...anchors.keys()].toSorted(fullestFirst)) {
    const box = {
      ...facetBox(facet, request.origin, {
        reader,
        numberText: numberTexts(facet, columns, metadata, reader.language),
      }),
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
      kind: kindOf(facet, reader),
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

/** Numbers as the cells of their column show them; null for other labels. */
function numberTexts(
  { name, results }: FacetResult,
  columns: readonly ColumnFacts[],
  metadata: MetadataBlock,
  language: string,
): NumberText {
  const column = columns.find((one) => one.name === name) ?? { name };
  const cells = results.map(({ label }) => [label as SqlValue]);
  const [format] = numberFormats([column], { cells }, metadata, language);
  return (label) => (format !== undefined && isNumber(label) ? shownNumber(label, format) : null);
}

/** Null for the values of a column as they are. Facets of plugins may have no text in the catalogue. */
function kindOf({ type = "column" }: SuggestedFacet | FacetResult, { t }: Translator): string | null {
  if (type === "column") return null;
  const key = `facet.${type}`;
  const text = t(key);
  return text === key ? type : text;
}

type NumberText = (label: unknown) => string | null;

/** How the texts of a facet are written. */
interface FacetTexts {
  readonly reader: Translator;
  readonly numberText: NumberText;
}

function facetBox(facet: FacetResult, origin: string, texts: FacetTexts) {
  const most = Math.max(1, ...facet.results.map(({ count }) => count));
  return {
    ...facet,
    toggle_url: onSite(facet.toggle_url, origin),
    kind: kindOf(facet, texts.reader),
    size: `${facet.truncated ? ">" : ""}${texts.reader.number(facet.results.length)}`,
    values: facet.results.map((result) => facetValue(result, most, { origin, ...texts })),
  };
}

function facetValue(
  result: FacetValue,
  most: number,
  { origin, numberText, reader }: FacetTexts & { readonly origin: string },
) {
  const whole =
    numberText(result.label) ?? shownLabel(isBlank(result.label) ? result.value : result.label, reader);
  const json = shortJson(whole);
  const text = json ?? whole;
  // The filter form cannot contain a BLOB.
  const value = result.value === null || result.value instanceof Uint8Array ? "" : String(result.value);
  return {
    ...result,
    toggle_url: onSite(result.toggle_url, origin),
    text,
    /** The complete text if it is shortened; null otherwise. */
    title: json === null ? null : whole,
    /** The value to filter by if it differs from the text; null otherwise. */
    other_value: value === text ? null : value,
    count: reader.number(result.count),
    /** The length of its bar: percent of the most frequent value. */
    share: Math.round((100 * result.count) / most),
  };
}

const MOST_SHOWN_BYTES = 24;
/** In characters. */
const LONGEST_LABEL = 1_000;

const isBlank = (label: unknown): boolean => label === null || label === "";

function shownLabel(label: unknown, { t }: Translator): string {
  if (isBlank(label)) return t("row.blank");
  if (!(label instanceof Uint8Array)) return shortText(String(label), LONGEST_LABEL);
  const digits = Buffer.from(label.subarray(0, MOST_SHOWN_BYTES)).toString("hex");
  return `x'${digits}${label.length > MOST_SHOWN_BYTES ? "…" : "'"}`;
}
