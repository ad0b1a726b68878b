/** Adds charts to pages of rows, and shows the one that the address requests. */
import { addToSlot, announce, button, loadPart } from "rowhouse/browser";
import { choiceFromHash, type Choice } from "./choice.js";
import type { ChartPanel } from "./panel.js";
import { placeAbove, ROWS } from "./place.js";
import { t } from "./first-texts.js";

const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const table = document.querySelector(".table-wrapper") && document.querySelector(ROWS);
let panel: Promise<ChartPanel> | null = null;

if (dataLink && table) {
  const address = dataLink.href;
  addToSlot("panel", {
    name: "chart",
    title: t("script.chart.title"),
    isRequested: (hash) => choiceFromHash(hash) !== null,
    show: (place, hash) => show(address, place, choiceFromHash(hash) ?? {}),
    hide: () => void panel?.then((shown) => shown.hide()),
  });
  offerFacetCharts(
    (choice) =>
      void show(address, placeAbove(table), choice).catch(({ message }: Error) => announce(message)),
  );
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
  place.setAttribute("aria-label", t("script.chart.title"));
  panel ??= loadPart(() => import("./panel.js")).then((part) => new part.ChartPanel(address, place));
  try {
    await (await panel).show(choice);
  } catch (error) {
    panel = null;
    place.hidden = true;
    throw error;
  }
}

function offerFacetCharts(open: (choice: Choice) => void): void {
  for (const facet of document.querySelectorAll<HTMLElement>(".facet[data-column]")) {
    const column = facet.dataset["column"] ?? "";
    const shownKind = facet.querySelector<HTMLElement>(".kind");
    const kind = shownKind?.dataset["type"] ?? shownKind?.textContent?.replace(/[()]/g, "") ?? "column";
    const name = kind === "column" ? column : `${column} (${kind})`;
    const draw = (): void =>
      open({ mark: "bar", x: column, step: "", y: "", agg: "", color: "", split: "", facet: kind });
    const label = t("script.chart.of_facet", { name });
    facet
      .querySelector("h3 .figures")
      ?.after(button(t("script.chart.facet"), draw, { class: "link facet-chart", "aria-label": label }));
  }
}
