/** Sums of the selected rows, with what each slot and event of a page is for. */
import { addToSlot, announce, copyText, element, onPage, type RowPlace } from "rowhouse/browser";
import { lineOf, sumsOf, valueIn } from "./sums.js";

let selected: readonly RowPlace[] = [];
let place: HTMLElement | null = null;

/** Shows the sums in the panel, if it is open. */
function show(): void {
  if (place === null) return;
  const facts = [...sumsOf(selected)].flatMap(([column, sum]) => [
    element("dt", {}, column),
    element("dd", {}, sum.toLocaleString()),
  ]);
  const title = selected.length === 0 ? "Select rows to see their sums." : "Sums of the selected rows:";
  place.replaceChildren(element("p", {}, title), element("dl", {}, ...facts));
}

addToSlot("panel", {
  name: "sums",
  title: "Sums",
  show(panel) {
    place = panel;
    show();
  },
});

addToSlot("selection", {
  label: "Copy as lines",
  async run(rows) {
    await copyText(rows.map(lineOf).join("\n"));
    announce(rows.length === 1 ? "1 line was copied." : `${rows.length} lines were copied.`);
  },
});

addToSlot("row-menu", (row) => [{ label: "Copy as a line", run: () => copyText(lineOf(row)) }]);

addToSlot("column-menu", ({ name }) => {
  const sum = sumsOf(selected).get(name);
  return sum === undefined ? [] : [{ label: "Sum of the selection", run: () => announce(`${name}: ${sum}`) }];
});

addToSlot("toolbar", { label: "Print", run: () => print() });

addToSlot("cell", (cell) => cell.element.classList.toggle("is-negative", (valueIn(cell.element) ?? 0) < 0));

onPage("selection-changed", ({ rows }) => {
  selected = rows;
  show();
});
onPage("cell-changed", show);
