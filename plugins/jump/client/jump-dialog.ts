interface Place {
  readonly kind: string;
  readonly label: string;
  readonly detail: string | null;
  readonly href: string;
}

/** A dialog with a search field and the places it finds, used by keyboard or pointer. */
export class JumpDialog {
  readonly #endpoint: string;
  readonly #dialog = document.createElement("dialog");
  readonly #field = document.createElement("input");
  readonly #list = document.createElement("div");
  readonly #status = document.createElement("p");
  #asked = 0;
  #chosen = 0;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
    this.#build();
  }

  /** Opens it, or leaves it open. */
  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#field.select();
    void this.#find();
  }

  #build(): void {
    this.#dialog.className = "jump-dialog";
    this.#dialog.setAttribute("aria-label", "Jump to");
    Object.assign(this.#field, {
      type: "search",
      placeholder: "Name of a database, table, view or query",
      autocomplete: "off",
      spellcheck: false,
      dir: "auto",
    });
    setAttributes(this.#field, {
      role: "combobox",
      "aria-label": "Name of a database, table, view or query",
      "aria-controls": "jump-places",
      "aria-expanded": "true",
      "aria-autocomplete": "list",
    });
    setAttributes(this.#list, { id: "jump-places", role: "listbox", "aria-label": "Places" });
    setAttributes(this.#status, { role: "status", class: "jump-status" });
    this.#field.addEventListener("input", () => void this.#find());
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.append(this.#field, this.#list, this.#status);
    document.body.append(this.#dialog);
  }

  #onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.#choose(this.#chosen + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#list.querySelector<HTMLAnchorElement>('[aria-selected="true"]')?.click();
    }
  }

  async #find(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const response = await fetch(`${this.#endpoint}?q=${encodeURIComponent(this.#field.value)}`);
      const { matches = [] } = (await response.json()) as { readonly matches?: readonly Place[] };
      // An answer that was overtaken by a later one is of no use.
      if (asked === this.#asked) this.#show(matches);
    } catch {
      if (asked === this.#asked) this.#status.textContent = "The server does not answer.";
    }
  }

  #show(places: readonly Place[]): void {
    this.#list.replaceChildren(...places.map(option));
    this.#status.textContent = places.length === 0 ? "Nothing is called that." : "";
    this.#choose(0);
  }

  #choose(wanted: number): void {
    const options = [...this.#list.children];
    this.#chosen = options.length === 0 ? 0 : (wanted + options.length) % options.length;
    for (const [index, item] of options.entries()) {
      item.setAttribute("aria-selected", String(index === this.#chosen));
    }
    const chosen = options[this.#chosen];
    this.#field.setAttribute("aria-activedescendant", chosen?.id ?? "");
    chosen?.scrollIntoView({ block: "nearest" });
  }
}

function option({ kind, label, detail, href }: Place, index: number): HTMLAnchorElement {
  const link = document.createElement("a");
  setAttributes(link, { id: `jump-place-${index}`, role: "option", href, tabindex: "-1" });
  link.append(part("jump-label", label), part("jump-kind", kind), part("jump-detail", detail ?? ""));
  return link;
}

function part(className: string, text: string): HTMLSpanElement {
  const span = document.createElement("span");
  setAttributes(span, { class: className, dir: "auto" });
  span.textContent = text;
  return span;
}

function setAttributes(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
