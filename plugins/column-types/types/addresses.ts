import { html, type Html } from "rowhouse/plugin-api";
import { shortText, type HtmlValue } from "rowhouse/plugin-api/html";
import type { ColumnType } from "rowhouse/plugin-api/contracts";

// Browsers take line breaks and tabs out of an address, and what comes before it; so does `URL`.
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\s\u0000-\u001f\u007f]/;

/** The text if it is an address with one of these schemes (`https:`); null otherwise. */
function addressIn(value: unknown, schemes: ReadonlySet<string>): URL | null {
  if (typeof value !== "string" || value === "" || UNFIT.test(value) || !URL.canParse(value)) return null;
  const address = new URL(value);
  return schemes.has(address.protocol) ? address : null;
}

/** Addresses that run no script. */
const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** An address that can be a link. Other values are shown as text. */
export const url: ColumnType = {
  name: "url",
  description: "An address beginning with http:, https: or mailto:, shown as a link",
  input: "url",
  render: ({ value, truncate }) =>
    addressIn(value, LINKED) === null
      ? null
      : html`<a href="${value}" rel="nofollow">${shortText(String(value), truncate)}</a>`,
  transform: (value) => (typeof value === "string" ? value.trim() : value),
  validate: (value) =>
    addressIn(value, LINKED) === null ? "not an address beginning with http:, https: or mailto:" : null,
};

/** The addresses that the Content-Security-Policy of pages allows. */
const SHOWN: ReadonlySet<string> = new Set(["https:"]);
const STORED: ReadonlySet<string> = new Set(["https:", "http:"]);

const picture = (address: HtmlValue, column: string): Html =>
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
      addressIn(value, SHOWN) === null ? shortText(String(value), truncate) : picture(value, column);
    return html`<a href="${value}" rel="nofollow">${inside}</a>`;
  },
  transform: (value) => (typeof value === "string" ? value.trim() : value),
  validate: (value) =>
    addressIn(value, STORED) === null ? "not an address beginning with http: or https:" : null,
};

const LONGEST = 254;
// The addresses that browsers accept in fields of type `email`, and letters of all scripts.
const ADDRESS =
  /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)+$/u;

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && value.length <= LONGEST && ADDRESS.test(value);

/** An e-mail address. Its domain is stored in lower case, because domains are case-insensitive. */
export const email: ColumnType = {
  name: "email",
  description: "An e-mail address, shown as a link that writes to it",
  input: "email",
  render: ({ value, truncate }) =>
    isAddress(value)
      ? html`<a href="mailto:${addressed(value)}" rel="nofollow">${shortText(value, truncate)}</a>`
      : null,
  transform: (value) => (typeof value === "string" ? withPlainDomain(value.trim()) : value),
  validate: (value) => (isAddress(value) ? null : "not an e-mail address"),
};

/** `?` and `&` would start a subject or another recipient. */
const addressed = (address: string): string => encodeURIComponent(address).replaceAll("%40", "@");

function withPlainDomain(address: string): string {
  const at = address.lastIndexOf("@");
  return at === -1 ? address : address.slice(0, at) + address.slice(at).toLowerCase();
}
