/** Elements that are one stop of the tab key. */
export class OneStop {
  constructor(
    private readonly container: HTMLElement,
    private readonly selector: string,
  ) {
    container.addEventListener("focusin", ({ target }) => {
      const item = this.#items().find((one) => one === target);
      if (item) this.#makeStop(item);
    });
    container.addEventListener("keydown", (event) => this.#onKey(event));
    this.update();
  }

  /** Call it after elements were added. */
  update(): void {
    const items = this.#items();
    const stop = items.find(({ dataset }) => dataset["stop"] !== undefined) ?? items[0];
    if (stop) this.#makeStop(stop);
  }

  #makeStop(stop: HTMLElement): void {
    for (const item of this.#items()) {
      item.tabIndex = item === stop ? 0 : -1;
      if (item === stop) item.dataset["stop"] = "";
      else delete item.dataset["stop"];
    }
  }

  /** Those of open menus are stops of their own. */
  #items(): readonly HTMLElement[] {
    return [...this.container.querySelectorAll<HTMLElement>(this.selector)].filter(
      (item) => item.closest(".menu-panel, [hidden]") === null,
    );
  }

  #onKey(event: KeyboardEvent): void {
    const items = this.#items();
    const at = items.findIndex((item) => item === event.target);
    if (at === -1 || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = document.dir === "rtl" ? -1 : 1;
    const next = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  }
}

/**
 * Makes several elements one stop of the tab key, as in toolbars elsewhere: left and right arrow, Home and End move
 * between them. The rows below are then near, however many buttons and filters there are.
 */
export const makeOneStop = (container: HTMLElement, selector: string): OneStop =>
  new OneStop(container, selector);
