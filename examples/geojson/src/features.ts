import { jsonText, type RowSet, type SqlValue } from "rowhouse/plugin-api";
import { plainValue, Real } from "rowhouse/plugin-api/engine";
import type { Cell } from "rowhouse/plugin-api/http";

/** The indexes of the coordinates in a row. */
export interface Places {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null if the rows have no coordinates. */
export function coordinatePlaces(columns: readonly string[]): Places | null {
  const placeOf = (...names: readonly string[]): number =>
    columns.findIndex((column) => names.includes(column.toLowerCase()));
  const places = { latitude: placeOf("latitude", "lat"), longitude: placeOf("longitude", "lng", "lon") };
  return places.latitude === -1 || places.longitude === -1 ? null : places;
}

/** Each row as the JSON text of a feature: a point, and the other columns as its properties. */
export const features = ({ columns, cells }: RowSet, places: Places): readonly string[] =>
  (cells ?? []).map((row) => feature(columns, row, places));

function feature(columns: readonly string[], row: readonly Cell[], places: Places): string {
  const values = row.map(plainValue);
  const coordinates = [values[places.longitude], values[places.latitude]].map(coordinate);
  const properties = columns.flatMap((column, place): [string, SqlValue][] =>
    place === places.latitude || place === places.longitude ? [] : [[column, values[place] ?? null]],
  );
  return jsonText({
    type: "Feature",
    // The format allows a feature without a place.
    geometry: coordinates.includes(null) ? null : { type: "Point", coordinates },
    properties: new Map(properties),
  });
}

/** The number in a value, which may be stored as text; null for other values. */
function coordinate(value: SqlValue | undefined): number | null {
  const number = value instanceof Real ? value.value : typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && value !== "" ? number : null;
}
