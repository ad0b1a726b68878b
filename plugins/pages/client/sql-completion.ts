import { KEYWORDS } from "./sql-tokens.js";

const MOST = 8;
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/i;

interface Choice {
  readonly text: string;
  readonly kind: "table" | "column" | "keyword";
}

/** A list under the editor that offers tables, columns and keywords for the word being typed. */
export class CompletionList {
  readonly #editor: HTMLTextAreaElement;
  readonly #list = document.createElement("ul");
  readonly #choices: readonly Choice[];
  readonly #schema: ReadonlyMap<string, readonly string[]>;
  #shown: readonly Choice[] = [];
  #selected = 0;
  /** The person moved in the list, so that Enter means its choice and not a new line. */
  #moved = false;

  constructor(editor: HTMLTextAreaElement, schema: ReadonlyMap<string, readonly string[]>) {
    this.#editor = editor;
    this.#schema = schema;
    this.#choices = allChoices(schema);
    this.#list.className = "sql-completion";
    this.#list.id = `${editor.id}-completion`;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", "Completions");
    this.#list.hidden = true;
    editor.after(this.#list);
    editor.setAttribute("aria-autocomplete", "list");
    editor.setAttribute("aria-controls", this.#list.id);
    editor.addEventListener("input", (event) => {
      if (event instanceof InputEvent) this.#offer();
      else this.#hide();
    });
    editor.addEventListener("blur", () => this.#hide());
    this.#list.addEventListener("mousedown", (event) => this.#pick(event));
  }

  /** Takes the keys that move in the list, choose from it or close it; true when the key was one of them. */
  handles(event: KeyboardEvent): boolean {
    if (this.#list.hidden || event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) this.#move(step);
    else if (event.key === "Tab" || (event.key === "Enter" && this.#moved)) this.#accept();
    else if (event.key === "Escape") this.#hide();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #move(step: number): void {
    this.#moved = true;
    this.#select(this.#selected + step);
  }

  #offer(): void {
    this.#moved = false;
    const { table, word } = this.#typed();
    const columns = table === null ? undefined : this.#schema.get(table);
    const choices = columns?.map((text): Choice => ({ text, kind: "column" })) ?? this.#choices;
    const start = word.toLowerCase();
    const matching = choices.filter(({ text }) => text.toLowerCase().startsWith(start) && text !== word);
    this.#shown = (word === "" && columns === undefined ? [] : matching).slice(0, MOST);
    this.#list.replaceChildren(...this.#shown.map((choice, index) => this.#option(choice, index)));
    this.#list.hidden = this.#shown.length === 0;
    if (this.#shown.length > 0) this.#select(0);
    else this.#editor.removeAttribute("aria-activedescendant");
  }

  /** The word before the caret, and the table's name if there is one with a dot before it. */
  #typed(): { readonly table: string | null; readonly word: string } {
    const before = this.#editor.value.slice(0, this.#editor.selectionStart);
    const [, table = null, word = ""] = /(?:([\p{L}\p{N}_]+)\.)?([\p{L}\p{N}_]*)$/u.exec(before) ?? [];
    return { table, word };
  }

  #option({ text, kind }: Choice, index: number): HTMLLIElement {
    const option = document.createElement("li");
    option.id = `${this.#list.id}-${index}`;
    option.setAttribute("role", "option");
    option.dataset["index"] = String(index);
    const hint = document.createElement("small");
    hint.textContent = kind;
    option.append(text, hint);
    return option;
  }

  #select(index: number): void {
    const count = this.#shown.length;
    this.#selected = (index + count) % count;
    for (const [place, option] of [...this.#list.children].entries()) {
      option.setAttribute("aria-selected", String(place === this.#selected));
    }
    this.#editor.setAttribute("aria-activedescendant", `${this.#list.id}-${this.#selected}`);
  }

  #pick(event: MouseEvent): void {
    event.preventDefault();
    const option = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (!option) return;
    this.#select(Number(option.dataset["index"]));
    this.#accept();
  }

  #accept(): void {
    const choice = this.#shown[this.#selected];
    if (!choice) return;
    const end = this.#editor.selectionStart;
    const text = choice.kind === "keyword" || PLAIN_NAME.test(choice.text) ? choice.text : `[${choice.text}]`;
    this.#editor.setRangeText(text, end - this.#typed().word.length, end, "end");
    this.#hide();
    this.#editor.dispatchEvent(new Event("input"));
  }

  #hide(): void {
    this.#list.hidden = true;
    this.#editor.removeAttribute("aria-activedescendant");
  }
}

function allChoices(schema: ReadonlyMap<string, readonly string[]>): Choice[] {
  const columns = new Set([...schema.values()].flat());
  return [
    ...[...schema.keys()].map((text): Choice => ({ text, kind: "table" })),
    ...[...columns].map((text): Choice => ({ text, kind: "column" })),
    ...[...KEYWORDS].map((text): Choice => ({ text, kind: "keyword" })),
  ];
}
