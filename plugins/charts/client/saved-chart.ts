import { element } from "rowhouse/browser";
import { choiceFromHash, drawnChoice, type Choice } from "./choice.js";
import { drawInto } from "./draw.js";
import { readByKeyboard } from "./read-by-keyboard.js";
import { ChartSource } from "./source.js";
import { missingSetting, statusOf } from "./status.js";
import { completed, suggest } from "./suggestion.js";
import { ValuesTable } from "./values-table.js";
import { t } from "./texts.js";

/** Draws the chart of a saved view on a page of several: without fields, and not in the address. */
export async function showSavedChart(place: HTMLElement): Promise<void> {
  const status = element("p", { class: "chart-status", role: "status" }, t("script.chart.loading"));
  place.replaceChildren(status);
  try {
    await draw(place, status);
  } catch (error) {
    status.className = "chart-status message-warning";
    status.textContent = t("script.chart.failed", {
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

async function draw(place: HTMLElement, status: HTMLElement): Promise<void> {
  const { savedChart = "", source: address = "", groups } = place.dataset;
  const source = new ChartSource(new URL(address, location.href).href, groups !== undefined);
  const wanted: Partial<Choice> = choiceFromHash(savedChart) ?? {};
  const frame = await source.frame(wanted);
  const columns = [wanted.x, wanted.y, wanted.color, wanted.split];
  const lost = columns.find((name) => name !== undefined && name !== "" && !frame.kinds.has(name));
  if (lost !== undefined) throw new Error(t("script.chart.no_column", { column: lost }));
  const choice = drawnChoice(completed(frame, suggest(frame, wanted)));
  const missing = missingSetting(frame, choice);
  if (missing !== null) {
    status.textContent = missing;
    return;
  }
  const drawing = { frame, choice, grouped: await source.grouped(frame, choice) };
  const { text, isWarning } = statusOf(drawing);
  status.textContent = text;
  status.classList.toggle("message-warning", isWarning);
  const picture = element("div", { class: "chart-picture" });
  const values = new ValuesTable();
  readByKeyboard(picture, values);
  place.append(picture, values.element);
  values.show(drawing);
  new ResizeObserver(() => drawInto(picture, drawing)).observe(picture);
}
