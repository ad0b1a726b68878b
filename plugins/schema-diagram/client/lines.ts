import { referencesOf, tablesOf, type Size } from "./layout.js";

const SVG = "http://www.w3.org/2000/svg";
/** How far a line leaves a table before it bends. */
const BEND = 36;

const tableCalled = (canvas: HTMLElement, name = ""): HTMLElement | undefined =>
  tablesOf(canvas).find(({ dataset }) => dataset["table"] === name);

const columnCalled = (table: HTMLElement, name = ""): HTMLElement =>
  [...table.querySelectorAll<HTMLElement>("[data-column]")].find(
    ({ dataset }) => dataset["column"] === name,
  ) ?? table;

/** Draws a line from each column that refers to a table to the column that it refers to, behind the tables. */
export function drawLines(canvas: HTMLElement, { width, height }: Size): void {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  picture.setAttribute("aria-hidden", "true");
  for (const table of tablesOf(canvas)) {
    for (const reference of referencesOf(table)) {
      const other = tableCalled(canvas, reference.dataset["otherTable"]);
      const column = reference.closest<HTMLElement>("[data-column]");
      if (other !== undefined && column !== null) picture.append(line(table, column, other, reference));
    }
  }
  canvas.prepend(picture);
}

function line(
  table: HTMLElement,
  column: HTMLElement,
  other: HTMLElement,
  reference: HTMLElement,
): SVGElement {
  const target = columnCalled(other, reference.dataset["otherColumn"]);
  const from = {
    left: table.offsetLeft,
    right: table.offsetLeft + table.offsetWidth,
    y: middleOf(table, column),
  };
  const to = {
    left: other.offsetLeft,
    right: other.offsetLeft + other.offsetWidth,
    y: middleOf(other, target),
  };
  const goesRight = to.left >= from.right;
  const goesLeft = to.right <= from.left;
  const [startX, startBend] = goesLeft ? [from.left, -BEND] : [from.right, BEND];
  const [endX, endBend] = goesRight ? [to.left, -BEND] : [to.right, BEND];
  const path = document.createElementNS(SVG, "path");
  path.setAttribute(
    "d",
    `M${startX} ${from.y}C${startX + startBend} ${from.y} ${endX + endBend} ${to.y} ${endX} ${to.y}`,
  );
  path.dataset["from"] = table.dataset["table"] ?? "";
  path.dataset["to"] = other.dataset["table"] ?? "";
  return path;
}

const middleOf = (table: HTMLElement, row: HTMLElement): number =>
  row === table
    ? table.offsetTop + table.offsetHeight / 2
    : table.offsetTop + row.offsetTop + row.offsetHeight / 2;

/** The table under the pointer or with the focus is shown with its references and the tables at their ends. */
export function markRelated(canvas: HTMLElement): void {
  const lines = [...canvas.querySelectorAll<SVGPathElement>("path")];
  const mark = (name: string | null): void => {
    const near = lines.filter(({ dataset }) => dataset["from"] === name || dataset["to"] === name);
    for (const path of lines) path.classList.toggle("is-related", near.includes(path));
    const names = new Set(near.flatMap(({ dataset }) => [dataset["from"], dataset["to"]]));
    for (const table of tablesOf(canvas))
      table.classList.toggle("is-related", names.has(table.dataset["table"]));
  };
  canvas.addEventListener("pointerover", (event) => mark(nameAt(event)));
  canvas.addEventListener("pointerleave", () => mark(null));
  canvas.addEventListener("focusin", (event) => mark(nameAt(event)));
  canvas.addEventListener("focusout", () => mark(null));
}

const nameAt = ({ target }: Event): string | null =>
  (target as Element).closest<HTMLElement>(".diagram-table")?.dataset["table"] ?? null;
