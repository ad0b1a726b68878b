import { button } from "rowhouse/browser";
import type { Size } from "./layout.js";
import { t } from "./texts.js";

/** A picture, and the frame in which it is scrolled. */
interface Zoomed {
  readonly frame: HTMLElement;
  readonly canvas: HTMLElement;
  readonly size: Size;
}

const STEP = 1.25;
const LEAST = 0.2;
const MOST = 2;

/** Smaller pictures than this can't be read, so the page does not begin with one. */
const LEGIBLE = 0.75;

/** Fills `buttons` with some for a smaller and a larger picture, and one that shows all of it. */
export function addZoom(buttons: HTMLElement, { frame, canvas, size: { width, height } }: Zoomed): void {
  let scale = 1;
  const show = (wanted: number): void => {
    scale = Math.min(MOST, Math.max(LEAST, wanted));
    canvas.style.transform = `scale(${scale})`;
    // A scaled element keeps its place in the layout, so the frame could be scrolled too far or not far enough.
    canvas.style.width = `${width * scale}px`;
    canvas.style.height = `${height * scale}px`;
  };
  const fitting = Math.min(1, frame.clientWidth / width, frame.clientHeight / height);
  buttons.append(
    button("−", () => show(scale / STEP), { class: "quiet", "aria-label": t("script.diagram.smaller") }),
    button("+", () => show(scale * STEP), { class: "quiet", "aria-label": t("script.diagram.larger") }),
    button(t("script.diagram.all"), () => show(fitting), { class: "quiet" }),
  );
  show(Math.max(LEGIBLE, fitting));
}
