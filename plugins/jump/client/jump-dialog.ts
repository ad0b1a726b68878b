import { element } from "rowhouse/browser";
import { t } from "./texts.js";
import { scriptEnglish } from "./english.js";

interface Place {
  readonly kind: string;
  readonly label: string;
  readonly detail: string | null;
  readonly href: string;
}

/** A dialog with a search field and the places that it finds, for keyboard and pointer. */
export class JumpDialog {
  readonly #field = element("input", {
    type: "search",
    placeholder: t("script.jump.field"),
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    role: "combobox",
    "aria-label": t("script.jump.field"),
    "aria-controls": "jump-places",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
  });
  readonly #list = element("div", {
    id: "jump-places",
    role: "listbox",
    "aria-label": t("script.jump.places"),
  });
  readonly #status = element("p", { role: "status", class: "jump-status" });
  readonly #dialog = element(
    "dialog",
    { class: "jump-dialog", "aria-label": t("script.jump.title") },
    this.#field,
    this.#list,
    this.#status,
  );
  /** The request for the current text of the field; null after its reply arrived. */
  #request: AbortController | null = null;
  /** True if Enter was pressed before the reply arrived. */
  #opensFirst = false;
  #chosen = 0;

  constructor(private readonly endpoint: string) {
    this.#field.addEventListener("input", () => void this.#find());
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    this.#dialog.addEventListener("close", () => (this.#opensFirst = false));
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    document.body.append(this.#dialog);
  }

  /** Opens the dialog if it is closed. */
  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#field.select();
    void this.#find();
  }

  #onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const isAnswered = this.#request === null;
    if (step !== undefined) {
      event.preventDefault();
      if (isAnswered) this.#choose(this.#chosen + step);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (isAnswered) this.#openChosen();
      else this.#opensFirst = true;
    } else if (event.key === "Escape" && !event.isComposing) {
      // Search fields would only be emptied by the first one.
      event.preventDefault();
      this.#dialog.close();
    }
  }

  #openChosen(): void {
    this.#list.querySelector<HTMLAnchorElement>('[aria-selected="true"]')?.click();
  }

  /** Until the reply arrives, the previous places stay visible, and none of them is selected. */
  async #find(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    this.#opensFirst = false;
    this.#select(null);
    try {
      const address = `${this.endpoint}?${new URLSearchParams({ at: location.pathname, q: this.#field.value }).toString()}`;
      const response = await fetch(address, { signal: request.signal });
      if (!response.ok) throw new Error(response.statusText);
      const { matches } = (await response.json()) as { readonly matches: readonly Place[] };
      if (request === this.#request) this.#show(matches);
    } catch {
      if (request === this.#request) this.#show([], t("script.jump.no_answer"));
    }
  }

  #show(places: readonly Place[], whyEmpty = t("script.jump.nothing")): void {
    const opensFirst = this.#opensFirst;
    this.#request = null;
    this.#opensFirst = false;
    this.#list.replaceChildren(...places.map(option));
    this.#status.textContent = places.length === 0 ? whyEmpty : "";
    this.#choose(0);
    if (opensFirst) this.#openChosen();
  }

  #choose(wanted: number): void {
    const options = [...this.#list.children];
    this.#chosen = options.length === 0 ? 0 : (wanted + options.length) % options.length;
    const chosen = options[this.#chosen] ?? null;
    this.#select(chosen);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  #select(chosen: Element | null): void {
    for (const item of this.#list.children) item.setAttribute("aria-selected", String(item === chosen));
    this.#field.setAttribute("aria-activedescendant", chosen?.id ?? "");
  }
}

const option = ({ kind, label, detail, href }: Place, index: number): HTMLAnchorElement =>
  element(
    "a",
    { id: `jump-place-${index}`, role: "option", href, tabindex: "-1" },
    element("span", { class: "jump-label", dir: "auto" }, label),
    element("span", { class: "jump-kind", dir: "auto" }, kindName(kind)),
    element("span", { class: "jump-detail", dir: "auto" }, detail ?? ""),
  );

/** Plugins may have kinds of their own. */
function kindName(kind: string): string {
  const key = `script.jump.kind_${kind}`;
  return key in scriptEnglish ? t(key as keyof typeof scriptEnglish) : kind;
}
