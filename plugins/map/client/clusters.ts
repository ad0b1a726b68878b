import Supercluster from "supercluster";
import type { Place } from "./places.js";

/** What is drawn at one point of the map: a place, or several that would cover each other. */
export interface Mark {
  readonly latitude: number;
  readonly longitude: number;
  readonly places: readonly Place[];
}

/** Marks that are closer to each other than this become one, in pixels. */
const RADIUS = 28;
const TILE = 512;
const MOST_ZOOM = 20;
/** The places of a mark that its card lists. */
const MOST_LISTED = 10_000;

/** Finds what to draw, by an index over the places. */
export class Clusters {
  readonly #index = new Supercluster<{ readonly place: Place }>({
    radius: RADIUS,
    extent: TILE,
    maxZoom: MOST_ZOOM,
  });

  constructor(places: readonly Place[]) {
    this.#index.load(
      places.map((place) => ({
        type: "Feature",
        properties: { place },
        geometry: { type: "Point", coordinates: [place.longitude, place.latitude] },
      })),
    );
  }

  /** @param scale the width of the world on the map, in pixels */
  marks(scale: number): readonly Mark[] {
    const zoom = Math.max(0, Math.min(MOST_ZOOM + 1, Math.floor(Math.log2(scale / TILE))));
    return this.#index.getClusters([-180, -90, 180, 90], zoom).map(({ geometry, properties }) => {
      const [longitude = 0, latitude = 0] = geometry.coordinates;
      const places =
        "cluster_id" in properties
          ? this.#index.getLeaves(properties.cluster_id, MOST_LISTED).map((leaf) => leaf.properties.place)
          : [properties.place];
      return { latitude, longitude, places };
    });
  }
}
