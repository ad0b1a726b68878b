import { html } from "rowhouse/plugin-api";
import type { ColumnType, Html } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";
import { addressIn } from "./web-address.js";

/** The addresses that the Content-Security-Policy of pages allows. */
const SHOWN: ReadonlySet<string> = new Set(["https:"]);
const STORED: ReadonlySet<string> = new Set(["https:", "http:"]);

const picture = (address: unknown, column: string): Html =>
  html`<img class="typed-image" src="${address}" alt="${column}" loading="lazy" />`;

/** The address of an image. */
export const image: ColumnType = {
  name: "image",
  description: "The address of a picture, shown by https as the picture, by http as a link",
  input: "url",
  render: ({ value, truncate, column }) => {
    if (addressIn(value, STORED) === null) return null;
    // Other sites do not learn on which page a link was followed or an image was shown.
    const inside =
      addressIn(value, SHOWN) === null ? shortened(String(value), truncate) : picture(value, column);
    return html`<a href="${value}" rel="nofollow">${inside}</a>`;
  },
  transform: (value) => (typeof value === "string" ? value.trim() : value),
  validate: (value) =>
    addressIn(value, STORED) === null ? "not an address beginning with http: or https:" : null,
};
