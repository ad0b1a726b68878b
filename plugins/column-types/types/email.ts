import { html } from "rowhouse/plugin-api";
import type { ColumnType } from "rowhouse/plugin-api";
import { shortened } from "./shortened.js";

const LONGEST = 254;
// What browsers accept in a field for e-mail addresses, letters of any script besides.
const ADDRESS =
  /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)+$/u;

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && value.length <= LONGEST && ADDRESS.test(value);

/** An e-mail address. Its domain is stored in lower case, as domains compare. */
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

/** `?` and `&` would begin a subject or a further receiver. */
const addressed = (address: string): string => encodeURIComponent(address).replaceAll("%40", "@");

function withPlainDomain(address: string): string {
  const at = address.lastIndexOf("@");
  return at === -1 ? address : address.slice(0, at) + address.slice(at).toLowerCase();
}
