/** Offers a chart on pages of rows, and opens the one that the address asks for. */
import { choiceFromHash, type Choice } from "./choice.js";

const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const table = document.querySelector<HTMLElement>(".table-wrapper");

// The library that draws weighs more than the page: it is fetched with the first chart.
const open = async (address: string, rows: HTMLElement, choice: Partial<Choice>): Promise<void> => {
  const { showChart } = await import("./panel.js");
  await showChart(address, rows, choice);
};

if (dataLink && table) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet chart-button";
  button.textContent = "Chart";
  button.addEventListener("click", () => void open(dataLink.href, table, {}));
  dataLink.closest(".data-links")?.append(button);
  offerFacetCharts(dataLink.href, table);
  const asked = choiceFromHash(location.hash);
  if (asked !== null) void open(dataLink.href, table, asked);
}

function offerFacetCharts(address: string, rows: HTMLElement): void {
  for (const facet of document.querySelectorAll<HTMLElement>(".facet[data-column]")) {
    const column = facet.dataset["column"] ?? "";
    const kind = facet.querySelector(".kind")?.textContent?.replace(/[()]/g, "") ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link facet-chart";
    button.textContent = "chart";
    button.setAttribute("aria-label", `Chart of the facet ${column}`);
    button.addEventListener(
      "click",
      () => void open(address, rows, { mark: "bar", x: column, y: "", facet: kind || "column" }),
    );
    facet.querySelector("h3 .figures")?.after(" ", button);
  }
}
