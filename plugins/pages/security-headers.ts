import type { PageAssets } from "./assets.js";

/** Headers every page carries. Other origins are let in only for assets the operator configured. */
export function securityHeaders(assets: PageAssets): Record<string, string> {
  const styles = origins(assets.css.map((asset) => asset.url));
  const scripts = origins([...assets.js, ...assets.bodyScripts].map((asset) => asset.url));
  const policy = [
    "default-src 'self'",
    ["script-src 'self'", ...scripts].join(" "),
    ["style-src 'self'", ...styles].join(" "),
    "img-src 'self' data: https:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

/** `https://cdn.example.org` of each address that leads away from this site. */
function origins(urls: readonly string[]): string[] {
  const outside = urls
    .map((url) => (url.startsWith("//") ? `https:${url}` : url))
    .filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
    .map((url) => new URL(url).origin);
  return [...new Set(outside)];
}
