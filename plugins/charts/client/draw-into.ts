import type { Drawing } from "./draw-one.js";
import { draw } from "./draw.js";

/** Draws a picture in the size of its element. */
export function drawInto(element: HTMLElement, drawing: Drawing): void {
  const { clientWidth: width, clientHeight: height } = element;
  if (width === 0) return;
  const show = (size: number): void => element.replaceChildren(draw(drawing, { width, height: size }));
  show(height);
  // A legend takes a part of the height.
  const excess = element.scrollHeight - height;
  if (excess > 0) show(Math.max(height / 2, height - excess));
}
