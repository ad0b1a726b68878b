import { hashOfChoice, MARKS, type Choice } from "./choice.js";
import { draw } from "./draw.js";
import { fetchFacet, fetchFrame, type Frame } from "./frame.js";
import { suggest } from "./suggestion.js";

let panel: ChartPanel | null = null;

/** Shows a chart above the rows; a chart that is there already takes the new choice. */
export async function showChart(address: string, rows: HTMLElement, wanted: Partial<Choice>): Promise<void> {
  panel ??= new ChartPanel(address, rows);
  await panel.show(wanted);
}

const NAMES = { bar: "Bars", line: "Line", scatter: "Scatter", histogram: "Histogram" } as const;

class ChartPanel {
  readonly #root = document.createElement("section");
  readonly #form = document.createElement("form");
  readonly #picture = document.createElement("div");
  readonly #status = document.createElement("p");
  readonly #frames = new Map<string, Promise<Frame>>();
  #choice: Choice | null = null;
  #frame: Frame | null = null;

  constructor(
    private readonly address: string,
    rows: HTMLElement,
  ) {
    this.#root.className = "chart panel";
    this.#root.setAttribute("aria-label", "Chart");
    this.#picture.className = "chart-picture";
    this.#status.className = "chart-status";
    this.#status.setAttribute("role", "status");
    this.#form.className = "chart-form";
    this.#form.addEventListener("change", () => this.#take(this.#chosen()));
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#root.append(this.#form, this.#status, this.#picture);
    (rows.closest(".browse") ?? rows).before(this.#root);
    new ResizeObserver(() => this.#draw()).observe(this.#root);
    keepThroughFilters();
  }

  async show(wanted: Partial<Choice>): Promise<void> {
    this.#root.hidden = false;
    this.#status.textContent = "Loading…";
    try {
      this.#frame = await this.#load(wanted);
      this.#take(suggest(this.#frame, wanted));
    } catch (error) {
      this.#status.textContent = `No chart: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#root.scrollIntoView({ block: "nearest" });
  }

  #load({ facet = "", x = "" }: Partial<Choice>): Promise<Frame> {
    const key = facet === "" ? "" : `${facet}:${x}`;
    const loading =
      this.#frames.get(key) ?? (key === "" ? fetchFrame(this.address) : fetchFacet(this.address, x, facet));
    this.#frames.set(key, loading);
    return loading;
  }

  #take(choice: Choice): void {
    this.#choice = choice.facet === "" ? choice : { ...choice, mark: "bar", y: "count", color: "" };
    history.replaceState(history.state, "", hashOfChoice(choice));
    this.#fillForm();
    this.#draw();
  }

  #draw(): void {
    const [frame, choice] = [this.#frame, this.#choice];
    const width = this.#picture.clientWidth;
    if (frame === null || choice === null || width === 0 || this.#root.hidden) return;
    const missing = whatIsMissing(frame, choice);
    this.#status.textContent = missing ?? statusOf(frame, choice);
    this.#picture.replaceChildren(...(missing === null ? [draw(frame, choice, width)] : []));
  }

  #fillForm(): void {
    const [frame, choice] = [this.#frame, this.#choice];
    if (frame === null || choice === null) return;
    const columns = [...frame.kinds.keys()].map((name) => [name, name] as const);
    const rowsToo = [["", "Number of rows"], ...columns] as const;
    const fields =
      choice.facet === ""
        ? [
            select(
              "mark",
              "Chart",
              MARKS.map((mark) => [mark, NAMES[mark]] as const),
              choice.mark,
            ),
            select("x", choice.mark === "bar" ? "For each" : "Across", columns, choice.x),
            ...(choice.mark === "histogram"
              ? []
              : [select("y", choice.mark === "bar" ? "Length" : "Up", rowsToo, choice.y)]),
            select("color", "Colour", [["", "One colour"], ...columns], choice.color),
          ]
        : [];
    const focused = (document.activeElement as HTMLSelectElement | null)?.name;
    this.#form.replaceChildren(...fields, this.#closeButton());
    this.#form.querySelector<HTMLElement>(`[name="${focused ?? ""}"]`)?.focus();
  }

  #chosen(): Choice {
    const values = new FormData(this.#form);
    const text = (name: string): string => String(values.get(name) ?? "");
    const mark = MARKS.find((name) => name === text("mark")) ?? "bar";
    return { mark, x: text("x"), y: text("y"), color: text("color"), facet: "" };
  }

  #closeButton(): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Close";
    button.addEventListener("click", () => {
      this.#root.hidden = true;
      history.replaceState(history.state, "", location.pathname + location.search);
      document.querySelector<HTMLElement>(".chart-button")?.focus();
    });
    return button;
  }
}

type Options = readonly (readonly [value: string, text: string])[];

function select(name: string, title: string, options: Options, chosen: string): HTMLLabelElement {
  const label = document.createElement("label");
  const list = document.createElement("select");
  list.name = name;
  list.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  label.append(title, list);
  return label;
}

/** What must be chosen differently; null when the chart can be drawn. */
function whatIsMissing({ kinds, rows }: Frame, { mark, x, y }: Choice): string | null {
  if (rows.length === 0) return "There are no rows to draw.";
  if (mark === "scatter" && y === "") return "Choose a column for each direction.";
  if (mark === "histogram" && kinds.get(x) === "category")
    return `“${x}” has no numbers or dates to put into bins.`;
  if (mark === "line" && y === "" && kinds.get(x) === "category")
    return "Choose numbers or dates to go across.";
  if (mark === "bar" && y !== "" && kinds.get(y) !== "number") return `“${y}” has no numbers to add up.`;
  return null;
}

function statusOf({ rows, total }: Frame, { facet, x }: Choice): string {
  const count = rows.length.toLocaleString("en");
  if (facet !== "") return `${count} values of ${x}`;
  if (total === rows.length) return `${count} rows`;
  return total === null
    ? `The first ${count} rows`
    : `The first ${count} of ${total.toLocaleString("en")} rows`;
}

/** The chart survives a change of filters: forms and links of the table take the fragment along. */
function keepThroughFilters(): void {
  document.addEventListener("submit", ({ target }) => {
    if (target instanceof HTMLFormElement && target.method === "get") {
      target.action = target.action.replace(/#.*$/, "") + location.hash;
    }
  });
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link !== null && link.pathname === location.pathname && link.hash === "") link.hash = location.hash;
  });
}
