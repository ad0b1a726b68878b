import { html } from "rowhouse/plugin-api";
import type { ColumnType } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";
import { LINKED, addressIn } from "./web-address.js";

/** An address that can be a link. Other values are shown as text. */
export const url: ColumnType = {
  name: "url",
  description: "An address beginning with http:, https: or mailto:, shown as a link",
  input: "url",
  render: ({ value, truncate }) =>
    addressIn(value, LINKED) === null
      ? null
      : html`<a href="${value}" rel="nofollow">${shortened(String(value), truncate)}</a>`,
  transform: (value) => (typeof value === "string" ? value.trim() : value),
  validate: (value) =>
    addressIn(value, LINKED) === null ? "not an address beginning with http:, https: or mailto:" : null,
};
