import { element } from "rowhouse/browser";
import { t } from "./texts.js";

const LEAST = 48;
const STEP = 16;

/** Called with a column and its new width; null for its natural width. */
export type OnResize = (column: string, width: number | null) => void;

/** Adds a handle to each heading: dragged, or moved by arrow keys; a double click gives the natural width. */
export function addHandles(table: HTMLTableElement, onResize: OnResize): void {
  const headings = [...table.querySelectorAll<HTMLElement>("thead th[data-column]")];
  // All widths are read before the first handle is added: after each change, the browser would lay out the table again.
  const widths = headings.map(({ offsetWidth }) => offsetWidth);
  for (const [index, heading] of headings.entries()) {
    const column = heading.dataset["column"] ?? "";
    const handle = element("span", {
      class: "resize-handle",
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": t("script.layout.width", { column }),
      // The tab key reaches it from its heading, so that it has no stop at each column.
      tabindex: "-1",
    });
    say(handle, widths[index] ?? 0);
    handle.addEventListener("pointerdown", (event) => drag(event, handle, heading, onResize));
    handle.addEventListener("dblclick", () => onResize(column, null));
    handle.addEventListener("keydown", (event) => {
      const towards = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (towards === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      onResize(column, Math.max(LEAST, heading.offsetWidth + towards * signOf(heading) * STEP));
      say(handle, heading.offsetWidth);
    });
    heading.append(handle);
    // Screen readers read the heading with each cell. Without a label, the name of the handle would be part of it.
    heading.setAttribute("aria-label", column);
  }
}

/** The handle of a column that is written from right to left is on its left. */
const signOf = (heading: HTMLElement): 1 | -1 => (getComputedStyle(heading).direction === "rtl" ? -1 : 1);

function drag(event: PointerEvent, handle: HTMLElement, heading: HTMLElement, onResize: OnResize): void {
  event.preventDefault();
  const [start, width] = [event.clientX, heading.offsetWidth];
  const sign = signOf(heading);
  const move = ({ clientX }: PointerEvent): void =>
    onResize(heading.dataset["column"] ?? "", Math.max(LEAST, width + sign * (clientX - start)));
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move);
  handle.addEventListener(
    "lostpointercapture",
    () => {
      handle.removeEventListener("pointermove", move);
      say(handle, heading.offsetWidth);
    },
    { once: true },
  );
}

/** Separators that can be moved say where they are. */
function say(handle: HTMLElement, width: number): void {
  handle.setAttribute("aria-valuenow", String(width));
  handle.setAttribute("aria-valuemin", String(LEAST));
}
