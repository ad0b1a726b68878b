import { dot, geo, graticule, plot } from "@observablehq/plot";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import land from "world-atlas/land-110m.json" with { type: "json" };
import type { Place } from "./places.js";

const world = land as unknown as Topology<{ land: GeometryCollection }>;
const continents = feature(world, world.objects.land);

/** Beyond this many degrees the map shows the globe, otherwise the flat projection of street maps. */
const WIDE = 120;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The places and the outlines of the continents, enlarged so that all places are visible. */
export function drawMap(places: readonly Place[], { width, height }: Size): Element {
  const coordinates = places.map(({ longitude, latitude }): [number, number] => [longitude, latitude]);
  const longitudes = coordinates.map(([longitude]) => longitude);
  const isWide = Math.max(...longitudes) - Math.min(...longitudes) > WIDE;
  const domain = isWide ? ({ type: "Sphere" } as const) : ({ type: "MultiPoint", coordinates } as const);
  const picture = plot({
    width,
    height,
    style: { background: "transparent", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "12px" },
    projection: { type: isWide ? "equal-earth" : "mercator", domain, inset: isWide ? 2 : 32 },
    marks: [
      graticule({ stroke: "var(--line)", strokeOpacity: 1 }),
      geo(continents, { fill: "var(--surface-strong)", stroke: "var(--line-strong)", strokeWidth: 0.5 }),
      dot([...places], {
        x: "longitude",
        y: "latitude",
        title: "title",
        tip: true,
        r: places.length > 300 ? 2.5 : 4,
        fill: "var(--series-1)",
        fillOpacity: 0.6,
        stroke: "var(--paper)",
        strokeWidth: 0.5,
      }),
    ],
  });
  // The Content-Security-Policy forbids style elements.
  for (const style of picture.querySelectorAll("style")) style.remove();
  for (const part of picture.querySelectorAll("g[aria-label]")) {
    part.classList.add(`map-${part.getAttribute("aria-label")?.replace(/\W+/g, "-")}`);
    part.removeAttribute("aria-label");
  }
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `Map of ${places.length} places`);
  return picture;
}
