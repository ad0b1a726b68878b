import { html } from "rowhouse/plugin-api";
import type { ColumnType } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";

/** Text of several lines, whose spaces and line breaks matter. */
export const textarea: ColumnType = {
  name: "textarea",
  description: "Text of several lines, whose spaces and line breaks are kept",
  input: "textarea",
  render: ({ value, truncate }) =>
    typeof value === "string" && value.includes("\n")
      ? html`<div class="typed-text">${shortened(value, truncate)}</div>`
      : null,
  validate: (value) => (typeof value === "string" ? null : "not text"),
};
