import { button, changedHash, changedQuery, element } from "rowhouse/browser";
import { cardFor } from "./card.js";
import type { Mark } from "./clusters.js";
import type { Coordinates } from "./coordinates.js";
import { fetchPlaces, type Places } from "./places.js";
import { WorldMap } from "./world-map.js";
import { t } from "./texts.js";

interface Source {
  readonly address: string;
  readonly coordinates: Coordinates;
}

/** Degrees of a filter by frame: a millionth of a degree is 11 cm. */
const DIGITS = 6;

/** The map above the rows of a page. */
export class MapPanel {
  readonly #picture = element("div", {
    class: "map-picture",
    tabindex: "0",
    role: "group",
    "aria-label": t("script.map.help"),
  });
  readonly #status = element("p", { role: "status" });
  readonly #filter = button(t("script.map.filter"), () => this.#filterByFrame(), {
    class: "quiet",
    hidden: true,
  });
  #places: Places | null = null;
  #map: WorldMap | null = null;
  #card: HTMLElement | null = null;
  #isWanted = false;

  /** @param root the element of the panel */
  constructor(
    private readonly source: Source,
    private readonly root: HTMLElement,
  ) {
    this.#picture.addEventListener("keydown", (event) => this.#pressed(event));
    this.root.append(this.#head());
    new ResizeObserver(() => this.#resized()).observe(this.#picture);
  }

  async show(): Promise<void> {
    this.#isWanted = true;
    this.root.hidden = false;
    history.replaceState(history.state, "", changedHash(["map"], "map"));
    if (this.#places === null) this.#say(t("script.map.loading"), false);
    try {
      this.#places ??= await fetchPlaces(this.source.address, this.source.coordinates);
      if (this.#isWanted) this.#draw();
    } catch (error) {
      this.#say(
        t("script.map.failed", { reason: error instanceof Error ? error.message : String(error) }),
        true,
      );
    }
  }

  hide(): void {
    this.#isWanted = false;
    this.root.hidden = true;
  }

  /** On paper, the style sheet makes the picture as narrow as the page. */
  #resized(): void {
    if (!matchMedia("print").matches) this.#draw();
  }

  #draw(): void {
    if (this.#places === null || this.root.hidden) return;
    const { found, rows, total } = this.#places;
    this.#say(statusOf(this.#places), total !== rows);
    // Added after the text above it, which would move it.
    if (!this.#picture.isConnected) this.root.append(this.#picture);
    const { clientWidth: width, clientHeight: height } = this.#picture;
    if (width === 0) return;
    this.#closeCard();
    this.#map = null;
    if (found.length === 0) return this.#picture.replaceChildren();
    this.#map = new WorldMap(
      found,
      { width, height },
      { select: (mark, x, y) => this.#openCard(mark, x, y), move: () => this.#closeCard() },
    );
    this.#picture.replaceChildren(this.#map.element, this.#zoomButtons());
    // The statement of an SQL page can't be filtered.
    if (document.body.classList.contains("table")) this.#filter.hidden = false;
  }

  #openCard(mark: Mark, x: number, y: number): void {
    this.#closeCard();
    const card = cardFor(mark, () => {
      this.#closeCard();
      this.#picture.focus();
    });
    this.#picture.append(card);
    const { clientWidth: width, clientHeight: height } = this.#picture;
    card.style.left = `${Math.max(0, Math.min(x + 12, width - card.offsetWidth))}px`;
    card.style.top = `${Math.max(0, Math.min(y + 12, height - card.offsetHeight))}px`;
    this.#card = card;
    card.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
  }

  #closeCard(): void {
    this.#card?.remove();
    this.#card = null;
  }

  /** The same page with conditions on the two columns of the coordinates. */
  #filterByFrame(): void {
    if (this.#map === null) return;
    const { west, east, south, north } = this.#map.frame;
    const { latitude, longitude } = this.source.coordinates;
    const conditions = [
      [`${latitude}__gte`, south],
      [`${latitude}__lte`, north],
      [`${longitude}__gte`, west],
      [`${longitude}__lte`, east],
    ] as const;
    const names = ["_next", ...conditions.map(([name]) => name)];
    const added = conditions.map(([name, value]) => [name, value.toFixed(DIGITS)] as const);
    location.assign(`${location.pathname}?${changedQuery(location.search, names, added)}${location.hash}`);
  }

  #pressed(event: KeyboardEvent): void {
    const { key, target } = event;
    if (target !== this.#picture || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowLeft: () => this.#map?.pan(-1, 0),
      ArrowRight: () => this.#map?.pan(1, 0),
      ArrowUp: () => this.#map?.pan(0, -1),
      ArrowDown: () => this.#map?.pan(0, 1),
      "+": () => this.#map?.zoomIn(),
      "-": () => this.#map?.zoomOut(),
    }[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  #say(text: string, isWarning: boolean): void {
    this.#status.className = isWarning ? "map-status message-warning" : "map-status";
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #zoomButtons(): HTMLElement {
    return element(
      "div",
      { class: "map-zoom" },
      button("+", () => this.#map?.zoomIn(), { class: "quiet", "aria-label": t("script.map.zoom_in") }),
      button("−", () => this.#map?.zoomOut(), { class: "quiet", "aria-label": t("script.map.zoom_out") }),
      button(t("script.map.all"), () => this.#map?.showAll(), { class: "quiet" }),
    );
  }

  #head(): HTMLElement {
    const close = (): void => {
      this.hide();
      history.replaceState(history.state, "", location.pathname + location.search + changedHash(["map"], ""));
      document.querySelector<HTMLElement>(".map-button")?.focus();
    };
    const closing = button(t("script.map.close"), close, { class: "quiet" });
    return element("div", { class: "map-head" }, this.#status, this.#filter, closing);
  }
}

function statusOf({ found, rows, total }: Places): string {
  if (total === rows) {
    if (found.length === 0) return t("script.map.none");
    return found.length === rows
      ? t("script.map.rows", { count: rows })
      : t("script.map.some", { places: found.length, rows });
  }
  return t("script.map.first", { places: found.length, rows, total: total ?? t("script.map.many") });
}
