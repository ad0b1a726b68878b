import { fetchRows, shortText, tildeEncode } from "rowhouse/browser";
import type { Coordinates } from "./coordinates.js";

/** A row with valid coordinates. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** The first columns of the row. */
  readonly fields: readonly (readonly [column: string, value: string])[];
  /** The page of the row; null for rows of views and SQL. */
  readonly href: string | null;
}

export interface Places {
  readonly found: readonly Place[];
  /** The number of loaded rows. */
  readonly rows: number;
  /** The number of all rows; null if there are more and they were not counted. */
  readonly total: number | null;
}

type Row = Readonly<Record<string, unknown>>;

const SHOWN_COLUMNS = 5;

/**
 * The places of the rows of a page, as many as one reply contains.
 *
 * @throws Error with the message of the server
 */
export async function fetchPlaces(address: string, coordinates: Coordinates): Promise<Places> {
  const { columns, rows, total, keys } = await fetchRows(address);
  const others = columns.filter((name) => !Object.values(coordinates).includes(name) && !keys.includes(name));
  const shown = others.slice(0, SHOWN_COLUMNS);
  const page = new URL(address).pathname.replace(/\.json$/, "");
  const placeOf = (row: Row): Place | null => {
    const [latitude, longitude] = [degrees(row[coordinates.latitude]), degrees(row[coordinates.longitude])];
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
    const path = rowPath(row, keys);
    return {
      latitude,
      longitude,
      fields: shown.map((name) => [name, textOf(row[name])]),
      href: path === null ? null : `${page}/${path}`,
    };
  };
  return { found: rows.flatMap((row) => placeOf(row) ?? []), rows: rows.length, total };
}

/**
 * Null without keys, for integers that JavaScript can't represent, and for texts with bytes that are not UTF-8: the path
 * would be that of another row.
 */
function rowPath(row: Row, keys: readonly string[]): string | null {
  const values = keys.map((key) => valueOf(row[key]));
  if (keys.length === 0 || !values.every(isExact)) return null;
  return values.map((value) => tildeEncode(String(value))).join(",");
}

const isExact = (value: unknown): boolean =>
  typeof value === "string"
    ? !value.includes("\ufffd")
    : typeof value === "number" && Number.isSafeInteger(value);

/** The stored value of a foreign key that has a label. */
const valueOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "value" in value ? value.value : value;

/** NaN for values that are not numbers. */
const degrees = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;

function textOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return "label" in value ? String(value.label) : "…";
  return shortText(String(value ?? ""), 60);
}
