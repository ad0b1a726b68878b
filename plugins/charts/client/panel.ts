import { button, changedHash, element } from "rowhouse/browser";
import { drawnChoice, SETTINGS, settingsOf, type Choice } from "./choice.js";
import { downloadButtons } from "./download.js";
import { drawInto } from "./draw.js";
import type { Drawing } from "./draw-one.js";
import { chartFields, chosenIn } from "./form.js";
import type { Grouped } from "./grouped.js";
import { readByKeyboard } from "./read-by-keyboard.js";
import { ChartSource } from "./source.js";
import { statusOf, missingSetting, type Status } from "./status.js";
import { completed, suggest } from "./suggestion.js";
import { ValuesTable } from "./values-table.js";
import type { Frame } from "./frame.js";
import { t } from "./texts.js";

/** The chart above the rows of a page, and the fields that change it. */
export class ChartPanel {
  readonly #form = element("form", { class: "chart-form" });
  readonly #picture = element("div", { class: "chart-picture" });
  readonly #status = element("p", { role: "status" });
  readonly #values = new ValuesTable();
  readonly #source: ChartSource;
  /** Counts requests. Only the reply to the last one is shown. */
  #asked = 0;
  #choice: Choice | null = null;
  #frame: Frame | null = null;
  #grouped: Grouped | null = null;
  /** False while the values of the chosen settings are loading. */
  #isReady = false;

  /** @param root the element of the panel */
  constructor(
    address: string,
    private readonly root: HTMLElement,
  ) {
    this.#source = new ChartSource(address, document.querySelector("form.filters[data-groups]") !== null);
    readByKeyboard(this.#picture, this.#values);
    this.#form.addEventListener("change", ({ target }) => {
      if (this.#choice === null || this.#frame === null || !(target instanceof HTMLSelectElement)) return;
      void this.show(chosenIn(this.#form, this.#choice, this.#frame, target.name));
    });
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#say({ text: t("script.chart.loading"), isWarning: false });
    this.root.append(this.#head(), this.#form);
    new ResizeObserver(() => this.#resized()).observe(this.#picture);
    this.#keepThroughFilters();
  }

  async show(wanted: Partial<Choice>): Promise<void> {
    const asked = (this.#asked += 1);
    this.root.hidden = false;
    try {
      const frame = await this.#source.frame(wanted);
      const choice = completed(frame, suggest(frame, wanted));
      if (asked !== this.#asked) return;
      this.#take(frame, choice);
      const grouped = await this.#source.grouped(frame, drawnChoice(choice));
      if (asked !== this.#asked) return;
      this.#grouped = grouped;
      this.#isReady = true;
      // Added after the fields, because these would move it.
      this.root.append(this.#picture, this.#values.element);
      this.#draw();
      this.#values.show(this.#drawing());
    } catch (error) {
      if (asked !== this.#asked) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#picture.replaceChildren();
      this.#values.show(null);
      this.#say({ text: t("script.chart.failed", { reason }), isWarning: true });
    }
  }

  hide(): void {
    this.#asked += 1;
    this.root.hidden = true;
  }

  /** The settings are shown and in the address before their values arrive. */
  #take(frame: Frame, choice: Choice): void {
    this.#isReady = false;
    this.#frame = frame;
    this.#choice = choice;
    this.root.classList.toggle("is-split", drawnChoice(choice).split !== "");
    history.replaceState(history.state, "", changedHash(SETTINGS, settingsOf(choice)));
    this.#fillForm();
  }

  #drawing(): Drawing | null {
    const [frame, choice] = [this.#frame, this.#choice];
    if (frame === null || choice === null || missingSetting(frame, drawnChoice(choice)) !== null) return null;
    return { frame, choice: drawnChoice(choice), grouped: this.#grouped };
  }

  /** On paper, the style sheet makes the picture as narrow as the page. */
  #resized(): void {
    if (!matchMedia("print").matches) this.#draw();
  }

  #draw(): void {
    if (this.#frame === null || this.#choice === null || !this.#isReady || this.root.hidden) return;
    const missing = missingSetting(this.#frame, drawnChoice(this.#choice));
    const drawing = this.#drawing();
    this.#say(drawing === null ? { text: missing ?? "", isWarning: false } : statusOf(drawing));
    if (drawing === null) this.#picture.replaceChildren();
    else drawInto(this.#picture, drawing);
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
    const close = (): void => {
      this.hide();
      history.replaceState(
        history.state,
        "",
        location.pathname + location.search + changedHash(SETTINGS, ""),
      );
      document.querySelector<HTMLElement>(".chart-button")?.focus();
    };
    const closing = button(t("script.chart.close"), close, { class: "quiet" });
    const buttons = [...downloadButtons(this.#picture), closing];
    return element(
      "div",
      { class: "chart-head" },
      this.#status,
      element("div", { class: "chart-buttons" }, ...buttons),
    );
  }

  /** Keeps the chart when filters change: forms and links of the table get the fragment of the address. */
  #keepThroughFilters(): void {
    const fragment = (): string =>
      this.root.hidden || this.#choice === null ? "" : changedHash(SETTINGS, settingsOf(this.#choice));
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
