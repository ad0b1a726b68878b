import { BadRequest } from "rowhouse/plugin-api";
import type { MetadataBlock, Pair } from "rowhouse/plugin-api";

/** A facet that the metadata or the request asks for. */
export interface RequestedFacet {
  readonly type: string;
  readonly column: string;
  /** The metadata asks for it: no argument takes it away. */
  readonly configured: boolean;
  /** The arguments that ask for it. */
  readonly asked: readonly Pair[];
  /** It is asked for more than once. */
  readonly repeated: boolean;
}

const PREFIX = "_facet_";

// Each facet is a statement of its own.
const MAX_FACETS = 100;

/**
 * The facets of a page, grouped by type in the order of `types`, the metadata's before the request's; unknown
 * types are passed over. A facet that is asked for several times is one facet.
 *
 * @param columns of the table: a name of theirs is never read as JSON
 * @throws BadRequest for an argument that looks like JSON and can't be read, and for very many facets
 */
export function requestedFacets(
  types: readonly string[],
  metadata: MetadataBlock,
  query: URLSearchParams,
  columns: readonly string[],
): readonly RequestedFacet[] {
  const all = merged([...configured(metadata["facets"]), ...asked(query, columns)]);
  if (all.length > MAX_FACETS) throw new BadRequest(`Too many facets: ${MAX_FACETS} is the most`);
  return types.flatMap((type) => all.filter((facet) => facet.type === type));
}

function merged(facets: readonly RequestedFacet[]): readonly RequestedFacet[] {
  const byId = new Map<string, RequestedFacet>();
  for (const facet of facets) {
    const id = `${facet.type}\0${facet.column}`;
    const same = byId.get(id);
    byId.set(
      id,
      same === undefined ? facet : { ...same, asked: [...same.asked, ...facet.asked], repeated: true },
    );
  }
  return [...byId.values()];
}

/** The argument that asks for a facet of this type. */
export const facetArgument = (type: string): string => (type === "column" ? "_facet" : PREFIX + type);

/** `"name"`, `{"array": "tags"}` or `{"array": {"column": "tags"}}`. */
function configured(facets: unknown): readonly RequestedFacet[] {
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

const fromMetadata = (type: string, column: string): RequestedFacet => ({
  type,
  column,
  configured: true,
  asked: [],
  repeated: false,
});

function asked(query: URLSearchParams, columns: readonly string[]): readonly RequestedFacet[] {
  return [...query].flatMap(([name, value]) => {
    if (value === "" || (name !== "_facet" && !name.startsWith(PREFIX)) || name === "_facet_size") return [];
    const type = name === "_facet" ? "column" : name.slice(PREFIX.length);
    const column = requestedColumn(name, value, columns);
    return [{ type, column, configured: false, asked: [[name, value] as const], repeated: false }];
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

/** Values to show: `_facet_size` (a number or `max`), else the metadata's `facet_size`, else the usual number. */
export function facetSize(
  query: URLSearchParams,
  metadata: MetadataBlock,
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  const size = sizeIn(query.get("_facet_size"), most) ?? sizeIn(metadata["facet_size"], most) ?? usual;
  return Math.min(size, most);
}

function sizeIn(value: unknown, most: number): number | null {
  if (value === "max") return most;
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d+$/.test(text) ? Number(text) : null;
}
