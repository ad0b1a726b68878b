// Browsers take line breaks and tabs out of an address, and what comes before it; so does `URL`.
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\s\u0000-\u001f\u007f]/;

/** The address in a text that is one, with one of these schemes (`https:`); else null. */
export function addressIn(value: unknown, schemes: ReadonlySet<string>): URL | null {
  if (typeof value !== "string" || value === "" || UNFIT.test(value) || !URL.canParse(value)) return null;
  const address = new URL(value);
  return schemes.has(address.protocol) ? address : null;
}

/** What a reader can follow without running anything. */
export const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
