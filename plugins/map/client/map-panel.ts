import type { Coordinates } from "./coordinates.js";
import { drawMap } from "./draw-map.js";
import { fetchPlaces, type Places } from "./places.js";

interface Page {
  readonly address: string;
  /** The map stands above these. */
  readonly rows: HTMLElement;
  readonly coordinates: Coordinates;
}

let panel: MapPanel | null = null;

/** Shows where the rows of a page are. */
export async function showMap(page: Page): Promise<void> {
  panel ??= new MapPanel(page);
  await panel.show();
}

class MapPanel {
  readonly #root = document.createElement("section");
  readonly #picture = document.createElement("div");
  readonly #status = document.createElement("p");
  #places: Places | null = null;

  constructor(private readonly page: Page) {
    this.#root.className = "map panel";
    this.#root.setAttribute("aria-label", "Map");
    this.#picture.className = "map-picture";
    this.#status.className = "map-status";
    this.#status.setAttribute("role", "status");
    this.#root.append(this.#head(), this.#picture);
    (page.rows.closest(".browse") ?? page.rows).before(this.#root);
    new ResizeObserver(() => this.#draw()).observe(this.#root);
  }

  async show(): Promise<void> {
    this.#root.hidden = false;
    history.replaceState(history.state, "", "#map");
    this.#status.textContent = "Loading…";
    try {
      this.#places ??= await fetchPlaces(this.page.address, this.page.coordinates);
      this.#draw();
    } catch (error) {
      this.#status.textContent = `No map: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#root.scrollIntoView({ block: "nearest" });
  }

  #draw(): void {
    const width = this.#picture.clientWidth;
    if (this.#places === null || width === 0) return;
    this.#status.textContent = statusOf(this.#places);
    const { found } = this.#places;
    this.#picture.replaceChildren(...(found.length === 0 ? [] : [drawMap(found, width)]));
  }

  #head(): HTMLElement {
    const head = document.createElement("div");
    head.className = "map-head";
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "Close";
    close.addEventListener("click", () => {
      this.#root.hidden = true;
      history.replaceState(history.state, "", location.pathname + location.search);
      document.querySelector<HTMLElement>(".map-button")?.focus();
    });
    head.append(this.#status, close);
    return head;
  }
}

function statusOf({ found, rows, total }: Places): string {
  const [places, looked] = [found.length, rows].map((count) => count.toLocaleString("en"));
  if (found.length === 0) return "None of these rows has a place on earth.";
  if (total === rows)
    return found.length === rows ? `${places} rows` : `${places} of ${looked} rows have a place`;
  return `${places} places among the first ${looked} of ${total?.toLocaleString("en") ?? "many"} rows`;
}
