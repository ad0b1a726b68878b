import { element } from "rowhouse/browser";
import type { ValuesTable } from "./values-table.js";
import { t } from "./texts.js";

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Lets arrow keys go through the values of a picture. The value is said below it, and its shape is marked. */
export function readByKeyboard(picture: HTMLElement, values: ValuesTable): void {
  const value = element("output", { class: "chart-value" });
  let place = -1;
  picture.tabIndex = 0;
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", t("script.chart.help"));
  picture.addEventListener("keydown", (event) => {
    const rows = values.rows();
    const next = nextPlace(event.key, place, rows.length);
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    place = next;
    if (!value.isConnected) picture.after(value);
    value.textContent = t("script.chart.value_at", {
      value: (rows[place] ?? []).join(": "),
      place: String(place + 1),
      count: String(rows.length),
    });
    mark(picture, place, rows.length);
  });
  // The picture is drawn again when its size changes.
  new MutationObserver(() => {
    if (place >= 0) mark(picture, place, values.rows().length);
  }).observe(picture, { childList: true });
  picture.addEventListener("blur", () => {
    place = -1;
    value.remove();
    mark(picture, -1, 0);
  });
}

function nextPlace(key: string, place: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(count - 1, place + step));
}

/** Shapes can be marked if there is one for each value. */
function mark(picture: HTMLElement, place: number, count: number): void {
  const shapes = [...picture.querySelectorAll(".chart-bar rect, .chart-rect rect, .chart-dot circle")];
  for (const [index, shape] of shapes.entries())
    shape.classList.toggle("is-read", index === place && shapes.length === count);
}
