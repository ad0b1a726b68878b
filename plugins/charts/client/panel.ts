import { drawnChoice, hashOfChoice, type Choice } from "./choice.js";
import { draw } from "./draw.js";
import { chartFields, chosenIn } from "./form.js";
import { fetchFacet, fetchFrame, type Frame } from "./frame.js";
import { statusOf, missingSetting, type Status } from "./status.js";
import { completed, suggest } from "./suggestion.js";

/** The chart above the rows of a page, and the fields that change it. */
export class ChartPanel {
  readonly #form = document.createElement("form");
  readonly #picture = document.createElement("div");
  readonly #status = document.createElement("p");
  readonly #frames = new Map<string, Promise<Frame>>();
  /** Counts requests. Only the reply to the last one is shown. */
  #asked = 0;
  #choice: Choice | null = null;
  #frame: Frame | null = null;

  /** @param root the element of the panel */
  constructor(
    private readonly address: string,
    private readonly root: HTMLElement,
  ) {
    this.#picture.className = "chart-picture";
    this.#status.setAttribute("role", "status");
    this.#form.className = "chart-form";
    this.#form.addEventListener("change", () => {
      if (this.#choice !== null) this.#take(chosenIn(this.#form, this.#choice));
    });
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#say({ text: "Loading…", isWarning: false });
    this.root.append(this.#head(), this.#form);
    new ResizeObserver(() => this.#draw()).observe(this.#picture);
    this.#keepThroughFilters();
  }

  async show(wanted: Partial<Choice>): Promise<void> {
    const asked = (this.#asked += 1);
    this.root.hidden = false;
    try {
      const frame = await this.#load(wanted);
      if (asked !== this.#asked) return;
      this.#frame = frame;
      this.#take(suggest(frame, wanted));
    } catch (error) {
      if (asked !== this.#asked) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#picture.replaceChildren();
      this.#say({ text: `No chart: ${reason}`, isWarning: true });
    }
  }

  hide(): void {
    this.#asked += 1;
    this.root.hidden = true;
  }

  #load({ facet = "", x = "" }: Partial<Choice>): Promise<Frame> {
    const key = facet === "" ? "" : `${facet}:${x}`;
    const loading =
      this.#frames.get(key) ?? (key === "" ? fetchFrame(this.address) : fetchFacet(this.address, x, facet));
    this.#frames.set(key, loading);
    // A failed request is not cached, so that the next one can succeed.
    loading.catch(() => this.#frames.delete(key));
    return loading;
  }

  #take(choice: Choice): void {
    if (this.#frame === null) return;
    this.#choice = completed(this.#frame, choice);
    history.replaceState(history.state, "", hashOfChoice(choice.facet === "" ? this.#choice : choice));
    this.#fillForm();
    // Added after the fields, because these would move it.
    this.root.append(this.#picture);
    this.#draw();
  }

  #draw(): void {
    if (this.#frame === null || this.#choice === null || this.root.hidden) return;
    const [frame, choice] = [this.#frame, drawnChoice(this.#choice)];
    const missing = missingSetting(frame, choice);
    this.#say(missing === null ? statusOf(frame, choice) : { text: missing, isWarning: false });
    const { clientWidth: width, clientHeight: height } = this.#picture;
    if (width === 0) return;
    const show = (size: number): void =>
      this.#picture.replaceChildren(
        ...(missing === null ? [draw(frame, choice, { width, height: size })] : []),
      );
    show(height);
    // A legend takes a part of the height.
    const excess = this.#picture.scrollHeight - height;
    if (excess > 0) show(Math.max(height / 2, height - excess));
    this.#letScroll();
  }

  /** Makes a picture with many bars scrollable by keyboard. */
  #letScroll(): void {
    const picture = this.#picture;
    if (picture.scrollHeight > picture.clientHeight) {
      picture.tabIndex = 0;
      picture.setAttribute("role", "group");
      picture.setAttribute("aria-label", "Picture");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) picture.removeAttribute(name);
    }
  }

  #say({ text, isWarning }: Status): void {
    this.#status.className = isWarning ? "chart-status message-warning" : "chart-status";
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #fillForm(): void {
    const [frame, choice] = [this.#frame, this.#choice];
    if (frame === null || choice === null) return;
    const focused = (document.activeElement as HTMLSelectElement | null)?.name;
    this.#form.replaceChildren(...(choice.facet === "" ? chartFields(frame, choice) : []));
    this.#form.querySelector<HTMLElement>(`[name="${focused ?? ""}"]`)?.focus();
  }

  #head(): HTMLElement {
    const head = document.createElement("div");
    head.className = "chart-head";
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "Close";
    close.addEventListener("click", () => {
      this.hide();
      history.replaceState(history.state, "", location.pathname + location.search);
      document.querySelector<HTMLElement>(".chart-button")?.focus();
    });
    head.append(this.#status, close);
    return head;
  }

  /** Keeps the chart when filters change: forms and links of the table get the fragment of the address. */
  #keepThroughFilters(): void {
    const fragment = (): string =>
      this.root.hidden || this.#choice === null ? "" : hashOfChoice(this.#choice);
    document.addEventListener("submit", ({ target }) => {
      if (target instanceof HTMLFormElement && target.method === "get") {
        target.action = target.action.replace(/#.*$/, "") + fragment();
      }
    });
    document.addEventListener("click", ({ target }) => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
      if (link !== null && link.pathname === location.pathname && link.hash === "") link.hash = fragment();
    });
  }
}
