import { element, shortText } from "rowhouse/browser";
import { keyOfMatch, type Match } from "./reference-check.js";
import { t } from "./texts.js";

interface Choice {
  readonly key: string;
  readonly label: string;
  readonly path: string | null;
}

const LONGEST_LABEL = 200;

/** Gives each list an id of its own. */
let created = 0;

/** Makes the field of a foreign key find rows by their labels. What it sends is the key. */
export function completeReference(place: HTMLElement): void {
  const field = place.querySelector("input");
  const label = place.querySelector<HTMLElement>("[data-label]");
  if (!field || !label) return;
  created += 1;
  new ReferenceField(place, field, label, `reference-${created}`).begin();
}

class ReferenceField {
  readonly #list: HTMLUListElement;
  #matches: readonly Choice[] = [];
  /** The text that the matches were found for. */
  #foundFor = "";
  #chosen = -1;
  #request: AbortController | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly field: HTMLInputElement,
    private readonly label: HTMLElement,
    id: string,
  ) {
    this.#list = element("ul", {
      id,
      class: "reference-list",
      role: "listbox",
      "aria-label": t("script.matches"),
      hidden: true,
    });
  }

  begin(): void {
    const { field } = this;
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.#list.id);
    field.setAttribute("aria-expanded", "false");
    field.placeholder = t("script.type_a_name");
    field.after(this.#list);
    field.addEventListener("input", () => void this.#find());
    field.addEventListener("keydown", (event) => this.#onKey(event));
    field.addEventListener("blur", () => this.#close());
    // Before the field loses the focus.
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target instanceof Element ? event.target.closest("li") : null;
      if (option) this.#take([...this.#list.children].indexOf(option));
    });
  }

  async #find(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    this.label.textContent = "";
    // It is that of the row before.
    this.place.querySelector(".reference-preview")?.remove();
    const text = this.field.value;
    const { completion = "", key = "" } = this.place.dataset;
    try {
      const response = await fetch(`${completion}?q=${encodeURIComponent(text)}`, {
        signal: request.signal,
      });
      const { rows = [] } = (await response.json()) as { readonly rows?: readonly Match[] };
      if (request !== this.#request) return;
      this.#foundFor = text;
      this.#show(rows, key);
    } catch {
      if (request === this.#request) this.#close();
    }
  }

  #show(rows: readonly Match[], key: string): void {
    this.#matches = rows.flatMap((match) => {
      const text = keyOfMatch(match, key);
      return text === null
        ? []
        : [
            {
              key: text,
              label: shortText(String(match.label ?? text), LONGEST_LABEL),
              path: match.path ?? null,
            },
          ];
    });
    const exact = this.#matches.find((match) => match.key === this.field.value.trim());
    this.label.textContent = exact?.label ?? "";
    this.#list.replaceChildren(...this.#matches.map((match, index) => this.#option(match, index)));
    this.#list.hidden = this.#matches.length === 0;
    this.field.setAttribute("aria-expanded", String(!this.#list.hidden));
    this.#choose(this.#matches.length > 0 ? 0 : -1);
  }

  #option({ key, label }: Choice, index: number): HTMLLIElement {
    return element(
      "li",
      { id: `${this.#list.id}-${index}`, role: "option", dir: "auto" },
      label,
      " ",
      element("span", { class: "figures" }, key),
    );
  }

  #choose(index: number): void {
    this.#chosen = index;
    for (const [place, option] of [...this.#list.children].entries()) {
      option.setAttribute("aria-selected", String(place === index));
    }
    const chosen = this.#list.children[index];
    this.field.setAttribute("aria-activedescendant", chosen?.id ?? "");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const { length } = this.#matches;
    if (step !== 0) this.#choose((this.#chosen + step + length) % length);
    else if (event.key === "Enter") return this.#onEnter(event);
    else if (event.key === "Escape") this.#close();
    else return;
    event.preventDefault();
  }

  /** In a form, the key only chooses. In a cell, it also saves, as it does when it is faster than the matches. */
  #onEnter(event: KeyboardEvent): void {
    if (this.#isInForm) event.preventDefault();
    // The list may still show what an earlier text has found.
    if (this.#foundFor === this.field.value) this.#take(this.#chosen);
  }

  #take(index: number): void {
    const match = this.#matches[index];
    if (match === undefined) return;
    this.field.value = match.key;
    this.label.textContent = match.label;
    this.#close();
    void this.#preview(match);
  }

  /** In forms, which have room for it. */
  async #preview({ key, path }: Choice): Promise<void> {
    const { completion = "" } = this.place.dataset;
    if (!this.#isInForm || path === null) return;
    const list = await previewOf(completion.replace("/-/autocomplete.json", `/${path}`)).catch(() => null);
    if (list === null || this.field.value !== key) return;
    this.place.querySelector(".reference-preview")?.remove();
    this.place.append(list);
  }

  get #isInForm(): boolean {
    return this.place.closest(".edit-form") !== null;
  }

  #close(): void {
    this.#request = null;
    this.#list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.setAttribute("aria-activedescendant", "");
  }
}

const MOST_COLUMNS = 4;
const LONGEST = 60;

/** The first values of a referenced row; null if it can't be read. @param href the address of its page */
async function previewOf(href: string): Promise<HTMLElement | null> {
  const response = await fetch(`${href}.json?_shape=objects&_labels=on`);
  if (!response.ok) return null;
  const { rows } = (await response.json()) as { readonly rows?: readonly Record<string, unknown>[] };
  const values = Object.entries(rows?.[0] ?? {}).filter(([, value]) => value !== null && value !== "");
  const facts = values
    .slice(0, MOST_COLUMNS)
    .flatMap(([name, value]) => [
      element("dt", { dir: "auto" }, name),
      element("dd", { dir: "auto" }, textOf(value).slice(0, LONGEST)),
    ]);
  return element("dl", { class: "reference-preview" }, ...facts);
}

function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return "label" in value ? String(value.label) : t("script.binary");
}
