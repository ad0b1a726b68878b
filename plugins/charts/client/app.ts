/** Adds charts to pages of rows, and shows the one that the address requests. */
import { choiceFromHash, type Choice } from "./choice.js";
import type { ChartPanel } from "./panel.js";
import { placeAbove, ROWS } from "./place.js";

const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const table = document.querySelector(".table-wrapper") && document.querySelector(ROWS);
let panel: Promise<ChartPanel> | null = null;

if (dataLink && table) {
  const open = (choice: Partial<Choice>): void => void show(dataLink.href, placeAbove(table), choice);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet chart-button";
  button.textContent = "Chart";
  button.addEventListener("click", () => open({}));
  (document.querySelector("[data-toolbar]") ?? dataLink.closest(".data-links"))?.append(button);
  offerFacetCharts(open);
  const follow = (): void => {
    const asked = choiceFromHash(location.hash);
    if (asked !== null) open(asked);
    // A link to a part of the page, such as `#export`, does not close the chart.
    else if (document.querySelector(":target") === null) void panel?.then((shown) => shown.hide());
  };
  addEventListener("hashchange", follow);
  follow();
} else {
  document.querySelector("section.chart")?.remove();
}

/** Saved charts are drawn when they come near to what is visible. */
const nearby = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      nearby.unobserve(target);
      void import("./saved-chart.js").then(({ showSavedChart }) => showSavedChart(target as HTMLElement));
    }
  },
  { rootMargin: "400px" },
);
for (const place of document.querySelectorAll("[data-saved-chart]")) nearby.observe(place);

/** The library that draws charts is larger than the page, so it is loaded with the first chart. */
async function show(address: string, place: HTMLElement, choice: Partial<Choice>): Promise<void> {
  place.hidden = false;
  panel ??= import("./panel.js").then((module) => new module.ChartPanel(address, place));
  await (await panel).show(choice);
}

function offerFacetCharts(open: (choice: Choice) => void): void {
  for (const facet of document.querySelectorAll<HTMLElement>(".facet[data-column]")) {
    const column = facet.dataset["column"] ?? "";
    const kind = facet.querySelector(".kind")?.textContent?.replace(/[()]/g, "") || "column";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link facet-chart";
    button.textContent = "chart";
    const name = kind === "column" ? column : `${column} (${kind})`;
    button.setAttribute("aria-label", `Chart of the facet ${name}`);
    button.addEventListener("click", () =>
      open({ mark: "bar", x: column, step: "", y: "", agg: "", color: "", split: "", facet: kind }),
    );
    facet.querySelector("h3 .figures")?.after(button);
  }
}
