import { BadRequest, type MetadataBlock } from "rowhouse/plugin-api";
import type { Pair } from "rowhouse/plugin-api/http";

/** A facet that the metadata or the request contains. */
export interface RequestedFacet {
  readonly type: string;
  readonly column: string;
  /** True if the facet is in the metadata: arguments can't remove it. */
  readonly configured: boolean;
  /** The arguments that request it. */
  readonly requestedBy: readonly Pair[];
  /** Its positions among the requested facets, those of the metadata first. */
  readonly places: readonly number[];
}

const PREFIX = "_facet_";

// Each facet runs one statement.
const MAX_FACETS = 100;

/**
 * The facets of a page, grouped by type in the order of `types`, those of the metadata first. Unknown types are
 * ignored. A facet that is requested several times is listed once.
 *
 * @param columns columns of the table: a column name is never parsed as JSON
 * @throws BadRequest for invalid JSON, and for more than a hundred facets
 */
export function requestedFacets(
  types: readonly string[],
  metadata: MetadataBlock,
  query: URLSearchParams,
  columns: readonly string[],
): readonly RequestedFacet[] {
  const listed = [...configured(metadata["facets"]), ...fromQuery(query, columns)];
  const all = mergeEqual(listed.map((facet, place) => ({ ...facet, places: [place] })));
  if (all.length > MAX_FACETS) throw new BadRequest(`Too many facets: ${MAX_FACETS} is the most`);
  return types.flatMap((type) => all.filter((facet) => facet.type === type));
}

/** One of the requests for a facet. */
type SingleFacet = Omit<RequestedFacet, "places">;

function mergeEqual(facets: readonly RequestedFacet[]): readonly RequestedFacet[] {
  const byId = new Map<string, RequestedFacet>();
  for (const facet of facets) {
    const id = `${facet.type}\0${facet.column}`;
    const same = byId.get(id);
    byId.set(
      id,
      same === undefined
        ? facet
        : {
            ...same,
            requestedBy: [...same.requestedBy, ...facet.requestedBy],
            places: [...same.places, ...facet.places],
          },
    );
  }
  return [...byId.values()];
}

/** The argument that requests a facet of this type. */
export const facetArgument = (type: string): string => (type === "column" ? "_facet" : PREFIX + type);

/** `"name"`, `{"array": "tags"}` or `{"array": {"column": "tags"}}`. */
function configured(facets: unknown): readonly SingleFacet[] {
  if (!Array.isArray(facets)) return [];
  return facets.flatMap((entry: unknown) => {
    if (typeof entry === "string") return [fromMetadata("column", entry)];
    if (typeof entry !== "object" || entry === null) return [];
    return Object.entries(entry).flatMap(([type, value]) => {
      const column = columnIn(value);
      return column === null ? [] : [fromMetadata(type, column)];
    });
  });
}

const fromMetadata = (type: string, column: string): SingleFacet => ({
  type,
  column,
  configured: true,
  requestedBy: [],
});

function fromQuery(query: URLSearchParams, columns: readonly string[]): readonly SingleFacet[] {
  return [...query].flatMap(([name, value]) => {
    if (value === "" || (name !== "_facet" && !name.startsWith(PREFIX)) || name === "_facet_size") return [];
    const type = name === "_facet" ? "column" : name.slice(PREFIX.length);
    const column = requestedColumn(name, value, columns);
    return [{ type, column, configured: false, requestedBy: [[name, value] as const] }];
  });
}

function requestedColumn(name: string, value: string, columns: readonly string[]): string {
  if (!value.startsWith("{") || columns.includes(value)) return value;
  const column = columnIn(parsedOrNull(value));
  if (column === null) throw new BadRequest(`Invalid JSON in ${name}`);
  return column;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function columnIn(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || !("column" in value)) return null;
  return typeof value.column === "string" ? value.column : null;
}

/** Values per facet: `_facet_size` (a number or `max`), else the metadata's `facet_size`, else the default. */
export function facetSize(
  query: URLSearchParams,
  metadata: MetadataBlock,
  { defaultSize, maxSize }: { readonly defaultSize: number; readonly maxSize: number },
): number {
  const size =
    sizeIn(query.get("_facet_size"), maxSize) ?? sizeIn(metadata["facet_size"], maxSize) ?? defaultSize;
  return Math.min(size, maxSize);
}

function sizeIn(value: unknown, maxSize: number): number | null {
  if (value === "max") return maxSize;
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d+$/.test(text) ? Number(text) : null;
}
