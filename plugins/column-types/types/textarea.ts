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
      ? block(shortText(value, truncate), truncate > 0 && isLong(value))
      : null,
  validate: (value) => (typeof value === "string" ? null : "not text"),
};

const LONG = 600;
const LINES = 6;

const isLong = (text: string): boolean => text.length > LONG || text.split("\n", LINES + 1).length > LINES;

/** A long text is folded if other rows are on the page. */
const block = (text: string, isFolded: boolean): Html =>
  isFolded
    ? html`<div class="typed-text long" tabindex="0">${text}</div>`
    : html`<div class="typed-text">${text}</div>`;
