import { html, type Html } from "rowhouse/plugin-api";
import { shortText } from "rowhouse/plugin-api/html";
import type { ColumnType } from "rowhouse/plugin-api/contracts";

/** Text of several lines. Spaces and line breaks are shown. */
export const textarea: ColumnType = {
  name: "textarea",
  description: "Text of several lines, whose spaces and line breaks are kept",
  input: "textarea",
  render: ({ value, truncate }) =>
    typeof value === "string" && value.includes("\n")
      ? block(shortText(value, truncate), boxOf(value, truncate))
      : null,
  validate: (value) => (typeof value === "string" ? null : "not text"),
};

const LONG = 600;
const LINES = 6;

const isLong = (text: string): boolean => text.length > LONG || text.split("\n", LINES + 1).length > LINES;

/** In a text of many pages, the values after it would be out of reach. */
const MANY_PAGES = 100_000;

/** The class of the box of a long text: folded if other rows are on the page, else one that scrolls. */
function boxOf(text: string, truncate: number): string | null {
  if (truncate > 0) return isLong(text) ? "long" : null;
  return text.length > MANY_PAGES ? "long-text" : null;
}

const block = (text: string, box: string | null): Html =>
  box === null
    ? html`<div class="typed-text">${text}</div>`
    : html`<div class="typed-text ${box}" tabindex="0">${text}</div>`;
