import { geoPath, type GeoProjection } from "d3-geo";
import { svg } from "./svg.js";

/** A part of the earth, in degrees. */
export interface Bounds {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** A single place is shown with this many degrees around it. */
const LEAST_DEGREES = 0.02;

/** The smallest part of the earth that contains these points, and more than one point in any case. */
export function boundsOf(
  points: readonly { readonly longitude: number; readonly latitude: number }[],
): Bounds {
  let [west, east, south, north] = [180, -180, 90, -90];
  for (const { longitude, latitude } of points) {
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  if (east - west < LEAST_DEGREES) [west, east] = [west - LEAST_DEGREES, east + LEAST_DEGREES];
  if (north - south < LEAST_DEGREES) [south, north] = [south - LEAST_DEGREES, north + LEAST_DEGREES];
  return { west, east, south, north };
}

const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const LEAST_LINES = 3;
/** The room for the degrees of a meridian, in pixels. */
const LABEL_WIDTH = 60;
/** Between two points, d3 draws the shortest way on the globe, which is no line of equal latitude. */
const POINTS_PER_LINE = 120;

/** Lines of equal latitude and longitude with their degrees. */
export function gridLines(
  frame: Bounds,
  projection: GeoProjection,
  { height }: { readonly height: number },
): readonly SVGElement[] {
  const { west, east, south, north } = frame;
  const span = Math.min(east - west, north - south);
  const step = STEPS.find((degrees) => span / degrees >= LEAST_LINES) ?? 0.001;
  const path = geoPath(projection);
  const line = (points: [number, number][]): SVGElement =>
    svg("path", { d: path({ type: "LineString", coordinates: points }) ?? "" });
  const across = (longitude: number): number => projection([longitude, (south + north) / 2])?.[0] ?? 0;
  const middle = (west + east) / 2;
  // On phones, labels of all meridians would overlap.
  const labelled = Math.max(1, Math.ceil(LABEL_WIDTH / (across(middle + step) - across(middle))));
  const meridians = multiples(west, east, step).flatMap((longitude) => [
    line(between(south, north).map((latitude) => [longitude, latitude])),
    ...(Math.round(longitude / step) % labelled === 0
      ? [label(across(longitude), height - 4, degreesText(longitude, "E", "W", step))]
      : []),
  ]);
  const parallels = multiples(south, north, step).flatMap((latitude) => [
    line(between(west, east).map((longitude) => [longitude, latitude])),
    label(
      4,
      (projection([(west + east) / 2, latitude])?.[1] ?? 0) - 3,
      degreesText(latitude, "N", "S", step),
    ),
  ]);
  return [...meridians, ...parallels];
}

const between = (from: number, to: number): readonly number[] =>
  Array.from({ length: POINTS_PER_LINE + 1 }, (_, index) => from + ((to - from) * index) / POINTS_PER_LINE);

function multiples(from: number, to: number, step: number): readonly number[] {
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - first + 1) },
    (_, index) => (first + index) * step,
  );
}

const label = (x: number, y: number, text: string): SVGElement => svg("text", { x, y }, text);

function degreesText(value: number, positive: string, negative: string, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  // Beyond the date line: 190 degrees are 170 degrees to the west.
  const wrapped = ((value + 540) % 360) - 180;
  const text = Math.abs(wrapped).toFixed(digits);
  if (Number(text) === 0) return "0°";
  return `${text}° ${wrapped > 0 ? positive : negative}`;
}
