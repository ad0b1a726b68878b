import { html } from "rowhouse/plugin-api";
import { shortText } from "rowhouse/plugin-api/html";
import { jsonComplaint } from "rowhouse/plugin-api/json";
import type { ColumnType } from "rowhouse/plugin-api/contracts";
import { laidOut } from "./json-layout.js";

/** Longer texts are not formatted if other rows are on the page. */
const LARGE = 32 * 1024;

/** Any JSON text. */
export const json: ColumnType = {
  name: "json",
  description: "JSON, shown with a member a line",
  input: "textarea",
  render: ({ value, truncate, column }) => {
    if (typeof value !== "string" || !STRUCTURE.test(value)) return null;
    if (truncate > 0 && value.length > LARGE) return null;
    if (jsonComplaint(value) !== null) return null;
    // A scrolling element must be focusable and have a name.
    return html`<pre class="typed-json" tabindex="0" role="group" aria-label="${column}">
${shortText(laidOut(value), truncate)}</pre>`;
  },
  validate: (value) => {
    if (typeof value !== "string") return isNumber(value) ? null : "not JSON";
    const complaint = jsonComplaint(value);
    return complaint === null ? null : `not JSON: ${complaint}`;
  },
};

/** A single number or text needs no layout. */
const STRUCTURE = /^\s*[{[]/;

const isNumber = (value: unknown): boolean =>
  !(value instanceof Uint8Array) && Number.isFinite(Number(value));
