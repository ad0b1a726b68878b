import { reply, type Reply, type Rowhouse } from "rowhouse/plugin-api";
import type { CspSource } from "rowhouse/plugin-api/contracts";
import type { PageAssets } from "./assets.js";

/** Sources by directive. Other directives allow only this site. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "default-src": ["'self'"],
  "script-src": ["'self'"],
  "style-src": ["'self'"],
  "img-src": ["'self'", "data:", "https:"],
  "object-src": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'none'"],
};

/** The headers of every page. They allow only other origins that the operator or a plugin configured. */
export function securityHeaders(
  assets: PageAssets,
  sources: readonly CspSource[],
): Readonly<Record<string, string>> {
  const styles = origins(assets.css.map(({ url }) => url));
  const scripts = origins([...assets.js, ...assets.bodyScripts].map(({ url }) => url));
  const others = [
    ...styles.map((source): CspSource => ({ directive: "style-src", source })),
    ...scripts.map((source): CspSource => ({ directive: "script-src", source })),
    ...sources.filter(({ source }) => isSource(source)),
  ];
  return others.length === 0 ? STRICTEST : headersWith(others);
}

/** Those of most pages. */
const STRICTEST = headersWith([]);

const NOSNIFF = { "x-content-type-options": "nosniff" };

/**
 * Browsers may not guess another content type than the header states. HTML that was not made from a template, such as
 * short error messages, gets the policy of pages.
 */
export function withSecurityHeaders(_rowhouse: Rowhouse, { value: made }: { readonly value: Reply }): Reply {
  if (made.headers["content-security-policy"] !== undefined) return made;
  const isPage = String(made.headers["content-type"] ?? "").startsWith("text/html");
  return reply.withHeaders(made, isPage ? STRICTEST : NOSNIFF);
}

function headersWith(sources: readonly CspSource[]): Record<string, string> {
  const policy = new Map(Object.entries(OWN).map(([directive, own]) => [directive, new Set(own)]));
  for (const { directive, source } of sources) {
    const allowed = policy.get(directive) ?? new Set(["'self'"]);
    policy.set(directive, allowed.add(source));
  }
  return {
    "content-security-policy": [...policy].map(([name, allowed]) => [name, ...allowed].join(" ")).join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

/**
 * `https://tiles.example.org`, `https://*.example.org`, `blob:`. Excludes quotes and characters that end the list.
 */
const isSource = (source: string): boolean => /^(https?:\/\/[^\s;,'"]+|(blob|data):)$/.test(source);

/** `https://cdn.example.org` of each address outside of this site. */
function origins(urls: readonly string[]): string[] {
  const outside = urls
    .map((url) => (url.startsWith("//") ? `https:${url}` : url))
    .filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
    .map((url) => new URL(url).origin);
  return [...new Set(outside)];
}
