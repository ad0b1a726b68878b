import type { Layout } from "./layout.js";

// Rules in a style sheet object, which the Content-Security-Policy of the page does not restrict.
const sheet = new CSSStyleSheet();

/** Gives the columns of a table their widths, and keeps the frozen ones in sight. */
export function applyLayout(table: HTMLTableElement, { widths, frozen }: Layout): void {
  const headings = [...table.querySelectorAll<HTMLElement>("thead th")];
  const rules = headings.flatMap((heading, index) => {
    const width = widths[heading.dataset["column"] ?? ""];
    return width === undefined ? [] : [`${cells(index)} { ${widthRule(width)} }`];
  });
  attach(rules);
  // The places of frozen columns depend on the widths.
  attach([...rules, ...frozenRules(table, headings, frozen)]);
}

function attach(rules: readonly string[]): void {
  sheet.replaceSync(rules.join("\n"));
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
}

const cells = (index: number): string => `table.rows-and-columns :is(th, td):nth-child(${index + 1})`;

const widthRule = (width: number): string =>
  `width: ${width}px; min-width: ${width}px; max-width: ${width}px; overflow: hidden; text-overflow: ellipsis`;

/** Frozen columns may take no more than this share of the box of the rows. */
const MOST_OF_BOX = 0.7;

function frozenRules(table: HTMLTableElement, headings: readonly HTMLElement[], frozen: number): string[] {
  if (frozen === 0) return [`${cells(0)} { position: static !important }`];
  const box = table.closest(".table-wrapper")?.clientWidth ?? innerWidth;
  let left = 0;
  return headings.slice(0, frozen).flatMap((heading, index) => {
    const place = left;
    left += heading.getBoundingClientRect().width;
    if (left > box * MOST_OF_BOX && index > 0) return [];
    const look = `position: sticky; inset-inline-start: ${place}px`;
    return [
      `table.rows-and-columns td:nth-child(${index + 1}) { ${look}; z-index: 1; background: var(--paper) }`,
      `table.rows-and-columns tbody tr:hover:not(.is-selected) > td:nth-child(${index + 1}) { background: var(--surface) }`,
      `table.rows-and-columns thead th:nth-child(${index + 1}) { ${look}; z-index: 5; background: var(--surface) }`,
    ];
  });
}
