import { html } from "rowhouse/plugin-api";
import type { ColumnType } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";

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
      ? html`<a href="mailto:${addressed(value)}" rel="nofollow">${shortened(value, truncate)}</a>`
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
