import { barNames, coloursFor, drawOne, label, pictureName, type Drawing, type Size } from "./draw-one.js";
import { drawSplit } from "./draw-split.js";
import { chartsOf } from "./splits.js";

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

/** A picture in the colours of the page. With many bars it is higher than the requested size. */
function draw(drawing: Drawing, size: Size): Element {
  const splits = chartsOf(drawing);
  if (splits !== null) return drawSplit(drawing, splits, size);
  const shared = { bars: barNames(drawing), colours: coloursFor(drawing), across: null, values: null };
  const picture = drawOne(drawing, size, shared);
  const text = pictureName(drawing);
  if (picture instanceof SVGElement) label(picture, text);
  else picture.querySelectorAll("svg[class*='plot']").forEach((svg) => label(svg, text));
  return picture;
}
