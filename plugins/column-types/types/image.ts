import { html } from "rowhouse/plugin-api";
import type { ColumnType, Html } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";
import { addressIn } from "./web-address.js";

/** What the Content-Security-Policy of pages lets in. */
const SHOWN: ReadonlySet<string> = new Set(["https:"]);
const STORED: ReadonlySet<string> = new Set(["https:", "http:"]);

const picture = (address: unknown, column: string): Html =>
  html`<img class="typed-image" src="${address}" alt="${column}" loading="lazy" />`;

/** The address of a picture. */
export const image: ColumnType = {
  name: "image",
  description: "The address of a picture, shown by https as the picture, by http as a link",
  input: "url",
  render: ({ value, truncate, column }) => {
    if (addressIn(value, STORED) === null) return null;
    // Pages tell nobody where a link was followed or a picture was shown: `Referrer-Policy`.
    const inside =
      addressIn(value, SHOWN) === null ? shortened(String(value), truncate) : picture(value, column);
    return html`<a href="${value}" rel="nofollow">${inside}</a>`;
  },
  transform: (value) => (typeof value === "string" ? value.trim() : value),
  validate: (value) =>
    addressIn(value, STORED) === null ? "not an address beginning with http: or https:" : null,
};
