/** Sums of the selected rows, with what each slot and event of a page is for. */
import { addToSlot, announce, copyText, onPage, type RowPlace } from "rowhouse/browser";
import { lineOf, sumsOf, valueIn } from "./sums.js";

let selected: readonly RowPlace[] = [];
let place: HTMLElement | null = null;

/** Shows the sums in the panel, if it is open. */
function show(): void {
  if (place === null) return;
  const list = document.createElement("dl");
  for (const [column, sum] of sumsOf(selected)) {
    const term = document.createElement("dt");
    const detail = document.createElement("dd");
    term.textContent = column;
    detail.textContent = sum.toLocaleString();
    list.append(term, detail);
  }
  const title = document.createElement("p");
  title.textContent = selected.length === 0 ? "Select rows to see their sums." : "Sums of the selected rows:";
  place.replaceChildren(title, list);
}

addToSlot("panel", {
  name: "sums",
  title: "Sums",
  show(element) {
    place = element;
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

addToSlot("cell", ({ element }) => element.classList.toggle("is-negative", (valueIn(element) ?? 0) < 0));

onPage("selection-changed", ({ rows }) => {
  selected = rows;
  show();
});
onPage("cell-changed", show);
