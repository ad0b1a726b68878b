import { geoEqualEarth, geoMercator, geoPath, type GeoProjection } from "d3-geo";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import land from "world-atlas/land-110m.json" with { type: "json" };
import { Clusters, type Mark } from "./clusters.js";
import { boundsOf, gridLines, type Bounds } from "./grid.js";
import type { Place } from "./places.js";
import { svg } from "./svg.js";
import { t } from "./texts.js";

const world = land as unknown as Topology<{ land: GeometryCollection }>;
const continents = feature(world, world.objects.land);

/** Beyond this many degrees the map shows the globe, otherwise the flat projection of street maps. */
const WIDE = 120;
/** The width of the world at the largest zoom, in pixels: a street is as wide as a finger. */
const LARGEST_WORLD = 512 * 2 ** 18;
const INSET = 32;
const ZOOM_STEP = 2;
const PAN_SHARE = 0.25;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the map tells its owner. */
export interface MapListener {
  /** A mark was clicked that can't be divided by zooming in. `x` and `y` are its place on the map. */
  select(mark: Mark, x: number, y: number): void;
  /** The map was moved or zoomed. */
  move(): void;
}

/** The outlines of the continents and marks for places. It can be zoomed and moved. */
export class WorldMap {
  readonly element: SVGSVGElement;
  readonly #grid = svg("g", { class: "map-grid" });
  readonly #land = svg("path", { class: "map-land" });
  readonly #marks = svg("g", { class: "map-marks" });
  readonly #projection: GeoProjection;
  readonly #start: { readonly scale: number; readonly translate: readonly [number, number] };
  readonly #clusters: Clusters;
  readonly #zoom: ZoomBehavior<SVGSVGElement, unknown>;
  #transform: ZoomTransform = zoomIdentity;

  constructor(
    places: readonly Place[],
    private readonly size: Size,
    private readonly listener: MapListener,
  ) {
    const { width, height } = size;
    this.element = svg("svg", {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": t("script.map.of_places", { count: String(places.length) }),
    });
    this.element.append(this.#land, this.#grid, this.#marks);
    this.#clusters = new Clusters(places);
    this.#projection = projectionFor(boundsOf(places), size);
    this.#start = { scale: this.#projection.scale(), translate: this.#projection.translate() };
    this.#zoom = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.5, Math.max(1, LARGEST_WORLD / this.#worldWidth())])
      .filter(isForMap)
      .on("zoom", ({ transform, sourceEvent }: D3ZoomEvent<SVGSVGElement, unknown>) => {
        this.#transform = transform;
        if (sourceEvent === null) this.#draw();
        else requestAnimationFrame(() => this.#draw());
        listener.move();
      });
    select(this.element).call(this.#zoom);
    this.#draw();
  }

  /** What the map shows now. Longitudes beyond 180 degrees are those across the date line. */
  get frame(): Bounds {
    const { width, height } = this.size;
    const [[longitude = 0] = [], [, north = 90] = [], [, south = -90] = []] = [
      [width / 2, height / 2] as const,
      [width / 2, 0] as const,
      [width / 2, height] as const,
    ].map(([x, y]) => this.#projection.invert?.([x, y]) ?? []);
    // Exact for the flat projection; on the globe, meridians are closer to each other outside of the equator.
    const degrees = Math.min(180, (360 * width) / 2 / this.#worldWidth());
    return {
      west: longitude - degrees,
      east: longitude + degrees,
      south: Math.max(-90, south),
      north: Math.min(90, north),
    };
  }

  zoomIn(): void {
    select(this.element).call(this.#zoom.scaleBy, ZOOM_STEP);
  }

  zoomOut(): void {
    select(this.element).call(this.#zoom.scaleBy, 1 / ZOOM_STEP);
  }

  showAll(): void {
    select(this.element).call(this.#zoom.transform, zoomIdentity);
  }

  /** Moves by a quarter of the map: 1 to the right or down, -1 to the left or up. */
  pan(right: -1 | 0 | 1, down: -1 | 0 | 1): void {
    const { width, height } = this.size;
    const { k } = this.#transform;
    const [x, y] = [(-right * width * PAN_SHARE) / k, (-down * height * PAN_SHARE) / k];
    select(this.element).call(this.#zoom.translateBy, x, y);
  }

  #worldWidth(): number {
    return 2 * Math.PI * this.#projection.scale();
  }

  #draw(): void {
    const { k, x, y } = this.#transform;
    const [startX, startY] = this.#start.translate;
    this.#projection.scale(this.#start.scale * k).translate([x + startX * k, y + startY * k]);
    const path = geoPath(this.#projection);
    this.#land.setAttribute("d", path(continents) ?? "");
    this.#grid.replaceChildren(...gridLines(this.frame, this.#projection, this.size));
    this.#marks.replaceChildren(
      ...this.#clusters.marks(this.#worldWidth()).flatMap((mark) => this.#markElement(mark) ?? []),
    );
  }

  #markElement(mark: Mark): SVGElement | null {
    const point = this.#projection([mark.longitude, mark.latitude]);
    const count = mark.places.length;
    const radius = count === 1 ? 5 : 9 + Math.min(9, Math.log2(count));
    if (point === null || !this.#isInside(point, radius)) return null;
    const [x, y] = point;
    const group = svg("g", {
      class: count === 1 ? "map-dot" : "map-cluster",
      transform: `translate(${x},${y})`,
    });
    group.append(svg("circle", { r: radius }), svg("title", {}, titleOf(mark)));
    if (count > 1) group.append(svg("text", { dy: "0.35em" }, shortened(count)));
    group.addEventListener("click", () => this.#open(mark, x, y));
    return group;
  }

  #isInside([x, y]: readonly [number, number], margin: number): boolean {
    const { width, height } = this.size;
    return x > -margin && y > -margin && x < width + margin && y < height + margin;
  }

  /** Zooms in so that the places of a mark fill the map. Where that is no help, the owner shows them. */
  #open(mark: Mark, x: number, y: number): void {
    const points = mark.places.flatMap(({ longitude, latitude }) => {
      const point = this.#projection([longitude, latitude]);
      return point === null ? [] : [point];
    });
    const spread = Math.max(...[0, 1].map((axis) => spanOf(points.map((point) => point[axis] ?? 0))));
    const [, most] = this.#zoom.scaleExtent();
    const wanted = (Math.min(this.size.width, this.size.height) - 2 * INSET) / spread;
    const factor = Math.min(wanted, most / this.#transform.k);
    if (mark.places.length === 1 || factor < ZOOM_STEP || spread < 1e-3)
      return this.listener.select(mark, x, y);
    const selection = select(this.element);
    selection.call(this.#zoom.scaleBy, factor, [x, y]);
    const { k } = this.#transform;
    selection.call(this.#zoom.translateBy, (this.size.width / 2 - x) / k, (this.size.height / 2 - y) / k);
  }
}

function projectionFor(bounds: Bounds, { width, height }: Size): GeoProjection {
  const { west, east, south, north } = bounds;
  const isWide = east - west > WIDE;
  const inset = isWide ? 2 : INSET;
  const corners: [number, number][] = [
    [west, south],
    [east, north],
  ];
  const domain = isWide
    ? ({ type: "Sphere" } as const)
    : ({ type: "MultiPoint", coordinates: corners } as const);
  const projection = isWide ? geoEqualEarth() : geoMercator().rotate([-(west + east) / 2, 0]);
  return projection.fitExtent(
    [
      [inset, inset],
      [width - inset, height - inset],
    ],
    domain,
  );
}

/** The wheel and one finger scroll the page. With Ctrl, or with two fingers, they are for the map. */
function isForMap(event: Event): boolean {
  if (event instanceof WheelEvent) return event.ctrlKey || event.metaKey;
  if ("touches" in event) return (event as TouchEvent).touches.length > 1;
  return !(event instanceof MouseEvent) || event.button === 0;
}

const spanOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

const titleOf = ({ places }: Mark): string => {
  const [first] = places;
  if (places.length > 1) return t("script.map.places", { count: places.length });
  return first?.fields.map(([column, value]) => `${column}: ${value}`).join("\n") ?? "";
};

const shortened = (count: number): string => (count < 1000 ? String(count) : `${Math.round(count / 1000)}k`);
