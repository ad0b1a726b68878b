// Browsers take line breaks and tabs out of an address, and what comes before it; so does `URL`.
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\s\u0000-\u001f\u007f]/;

/** The text if it is an address with one of these schemes (`https:`); null otherwise. */
export function addressIn(value: unknown, schemes: ReadonlySet<string>): URL | null {
  if (typeof value !== "string" || value === "" || UNFIT.test(value) || !URL.canParse(value)) return null;
  const address = new URL(value);
  return schemes.has(address.protocol) ? address : null;
}

/** Addresses that run no script. */
export const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
