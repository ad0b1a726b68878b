import { changedQuery, fetchDocument, fetchRows } from "rowhouse/browser";

export type Value = string | number | boolean | Date | null;
export type ColumnKind = "number" | "date" | "category";

/**
 * Rows in the form for charts: labels instead of foreign keys, dates as `Date`, integers beyond 2^53 as texts with all
 * their digits.
 */
export interface Frame {
  readonly kinds: ReadonlyMap<string, ColumnKind>;
  readonly rows: readonly Readonly<Record<string, Value>>[];
  /** The number of all rows; null if there are more and they were not counted. */
  readonly total: number | null;
}

/** True if some rows are not in the frame. */
export const isPartial = ({ rows, total }: Frame): boolean => total !== rows.length;

interface Facets {
  readonly facet_results?: Readonly<Record<string, Facet>>;
}

interface Facet {
  readonly name: string;
  readonly type: string;
  readonly truncated: boolean;
  readonly results: readonly FacetValue[];
}

interface FacetValue {
  readonly label: unknown;
  readonly count: number;
}

/** The rows of a page, as many as one reply contains. @throws Error with the message of the server */
export async function fetchFrame(address: string): Promise<Frame> {
  const { columns, rows, total } = await fetchRows(address);
  const kinds = new Map(columns.map((name) => [name, kindOf(rows.map((row) => plain(row[name])))]));
  const exact = await withAllDigits(address, rows);
  return { kinds, rows: exact.map((row) => withDates(row, kinds)), total };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

const isRounded = (cell: unknown): boolean => Number.isInteger(cell) && !Number.isSafeInteger(cell);

const digits = (cell: unknown, text: unknown): unknown =>
  isRounded(cell) && typeof text === "string" && Number(text) === cell ? text : cell;

/** The rows with integers beyond 2^53 as texts. If there are some, the rows are requested again. */
async function withAllDigits(address: string, rows: Rows): Promise<Rows> {
  if (!rows.some((row) => Object.values(row).some(isRounded))) return rows;
  const url = new URL(address);
  url.search = changedQuery(url.search, ["_bigint"], [["_bigint", "text"]]);
  const { rows: exact } = await fetchRows(url.href);
  return rows.map((row, index) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, digits(cell, exact[index]?.[name])])),
  );
}

/** The values of a facet and their counts, as the columns `<column>` and `count`. */
export async function fetchFacet(address: string, column: string, kind: string): Promise<Frame> {
  const name = kind === "column" ? "_facet" : `_facet_${kind}`;
  const { facet_results: facets = {} } = await fetchDocument<Facets>(address, {
    [name]: column,
    _facet_size: "max",
    _size: "0",
    _nosuggest: "1",
  });
  // A column may have facets of several types. The key of the first is the name of the column; others have other
  // keys.
  const facet = Object.values(facets).find((one) => one.name === column && one.type === kind);
  const rows = (facet?.results ?? []).map(({ label, count }) => ({ [column]: String(label), count }));
  return {
    kinds: new Map([
      [column, "category"],
      ["count", "number"],
    ]),
    rows,
    total: facet?.truncated === true ? null : rows.length,
  };
}

/** The plain value of a cell: the label of a foreign key, null for a BLOB. */
export function plain(cell: unknown): Exclude<Value, Date> {
  if (typeof cell !== "object" || cell === null) return (cell ?? null) as Exclude<Value, Date>;
  if ("label" in cell) return String(cell.label ?? ("value" in cell ? cell.value : ""));
  return null;
}

/** Days with hyphens or slashes. Forms such as 01/02/2026 are no dates: readers disagree about them. */
const DATE = /^\d{4}([-/])\d{2}\1\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

function kindOf(values: readonly Value[]): ColumnKind {
  const present = values.filter((value) => value !== null && value !== "");
  if (present.length === 0) return "category";
  if (present.every((value) => typeof value === "number")) return "number";
  return present.every((value) => typeof value === "string" && DATE.test(value)) ? "date" : "category";
}

const withDates = (
  row: Readonly<Record<string, unknown>>,
  kinds: ReadonlyMap<string, ColumnKind>,
): Record<string, Value> =>
  Object.fromEntries(
    [...kinds].map(([name, kind]) => {
      const value = plain(row[name]);
      return [name, kind === "date" ? asDate(value) : value];
    }),
  );

/** Times without a zone are read as UTC, so that the chart is the same in all time zones. */
export function asDate(value: Value): Date | null {
  if (typeof value !== "string" || value === "") return null;
  const iso = value.replaceAll("/", "-").replace(" ", "T");
  const date = new Date(/T/.test(iso) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(date.valueOf()) ? null : date;
}
