import type { Coordinates } from "./coordinates.js";
import { drawMap } from "./draw-map.js";
import { fetchPlaces, type Places } from "./places.js";

interface Source {
  readonly address: string;
  readonly coordinates: Coordinates;
}

/** The map above the rows of a page. */
export class MapPanel {
  readonly #picture = document.createElement("div");
  readonly #status = document.createElement("p");
  #places: Places | null = null;
  #isWanted = false;

  /** @param root the element of the panel */
  constructor(
    private readonly source: Source,
    private readonly root: HTMLElement,
  ) {
    this.#picture.className = "map-picture";
    this.#status.setAttribute("role", "status");
    this.root.append(this.#head());
    new ResizeObserver(() => this.#draw()).observe(this.#picture);
  }

  async show(): Promise<void> {
    this.#isWanted = true;
    this.root.hidden = false;
    history.replaceState(history.state, "", "#map");
    if (this.#places === null) this.#say("Loading…", false);
    try {
      this.#places ??= await fetchPlaces(this.source.address, this.source.coordinates);
      if (this.#isWanted) this.#draw();
    } catch (error) {
      this.#say(`No map: ${error instanceof Error ? error.message : String(error)}`, true);
    }
  }

  hide(): void {
    this.#isWanted = false;
    this.root.hidden = true;
  }

  #draw(): void {
    if (this.#places === null || this.root.hidden) return;
    const { found, rows, total } = this.#places;
    this.#say(statusOf(this.#places), total !== rows);
    // Added after the text above it, which would move it.
    if (!this.#picture.isConnected) this.root.append(this.#picture);
    const { clientWidth: width, clientHeight: height } = this.#picture;
    if (width === 0) return;
    this.#picture.replaceChildren(...(found.length === 0 ? [] : [drawMap(found, { width, height })]));
  }

  #say(text: string, isWarning: boolean): void {
    this.#status.className = isWarning ? "map-status message-warning" : "map-status";
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #head(): HTMLElement {
    const head = document.createElement("div");
    head.className = "map-head";
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "Close";
    close.addEventListener("click", () => {
      this.hide();
      history.replaceState(history.state, "", location.pathname + location.search);
      document.querySelector<HTMLElement>(".map-button")?.focus();
    });
    head.append(this.#status, close);
    return head;
  }
}

function statusOf({ found, rows, total }: Places): string {
  const [places, looked] = [found.length, rows].map((count) => count.toLocaleString("en"));
  if (total === rows) {
    if (found.length === 0) return "None of these rows has a place on earth.";
    return found.length === rows ? `${places} rows` : `${places} of ${looked} rows have a place`;
  }
  const among = `the first ${looked} of ${total?.toLocaleString("en") ?? "many"} rows`;
  return `${places} places among ${among}. Filter the rows to see the others.`;
}
