import { fetchRows } from "rowhouse/browser";
import type { Coordinates } from "./coordinates.js";

/** A row with valid coordinates. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** The description of the row, one line for each of its first columns. */
  readonly title: string;
}

export interface Places {
  readonly found: readonly Place[];
  /** The number of loaded rows. */
  readonly rows: number;
  /** The number of all rows; null if there are more and they were not counted. */
  readonly total: number | null;
}

const TITLE_COLUMNS = 4;

/**
 * The places of the rows of a page, as many as one reply contains.
 *
 * @throws Error with the message of the server
 */
export async function fetchPlaces(address: string, coordinates: Coordinates): Promise<Places> {
  const { columns, rows, total } = await fetchRows(address);
  const shown = columns.filter((name) => !Object.values(coordinates).includes(name)).slice(0, TITLE_COLUMNS);
  return {
    found: rows.flatMap((row) => placeOf(row, coordinates, shown) ?? []),
    rows: rows.length,
    total,
  };
}

function placeOf(
  row: Readonly<Record<string, unknown>>,
  { latitude, longitude }: Coordinates,
  shown: readonly string[],
): Place | null {
  const [north, east] = [degrees(row[latitude]), degrees(row[longitude])];
  if (Math.abs(north) <= 90 && Math.abs(east) <= 180) {
    const title = shown.map((name) => `${name}: ${textOf(row[name])}`).join("\n");
    return { latitude: north, longitude: east, title };
  }
  return null;
}

/** NaN for values that are not numbers. */
const degrees = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;

function textOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return "label" in value ? String(value.label) : "…";
  const text = String(value ?? "");
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
