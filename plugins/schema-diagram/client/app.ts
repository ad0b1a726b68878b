/** Lays out the tables of the page and draws their references as lines. */
import { drawLines, markRelated } from "./lines.js";
import { placeTables } from "./layout.js";
import { addZoom } from "./zoom.js";

const diagram = document.querySelector<HTMLElement>(".diagram");
const canvas = document.querySelector<HTMLElement>(".diagram-canvas");
const buttons = document.querySelector<HTMLElement>(".diagram-buttons");

if (diagram !== null && canvas !== null && buttons !== null) {
  const size = placeTables(canvas);
  drawLines(canvas, size);
  markRelated(canvas);
  addZoom(buttons, { frame: diagram, canvas, size });
  diagram.classList.add("diagram-placed");
}
