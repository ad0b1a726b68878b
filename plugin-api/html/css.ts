import { createHash } from "node:crypto";
import { boundedCache } from "../kernel/reported-caches.js";

const VALID = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/**
 * A name as CSS class, anchor, template name or file name. Names with other characters than letters, digits, `_` and
 * `-` lose these and get a suffix of six hex digits, which keeps them unique.
 *
 * @example
 * cssClass("books"); // "books"
 * cssClass("has space"); // "has-space-53f8a8"
 */
export function cssClass(name: string): string {
  if (VALID.test(name)) return name;
  const cached = CACHE.get(name);
  if (cached !== undefined) return cached;
  const made = makeClass(name);
  CACHE.set(name, made);
  return made;
}

const CACHE = boundedCache<string>("css-classes", 500_000, (made) => made.length);

function makeClass(name: string): string {
  const readable = name
    .replace(/^_+/, "")
    .replace(/^-+/, "")
    .trim()
    .replace(/\s+/g, "-")
    .replace(/[^a-zA-Z0-9_-]/g, "");
  const digest = createHash("md5").update(name).digest("hex").slice(0, 6);
  return readable === "" ? digest : `${readable}-${digest}`;
}

const HEX_DIGITS = 6;

/**
 * The colour of a database on pages, as six hex digits.
 *
 * @example
 * databaseColor("library", null); // "d521f7"
 * @param hash SHA-256 of the file in hex; null for mutable databases, whose colour depends on the name
 */
export const databaseColor = (name: string, hash: string | null): string =>
  (hash ?? createHash("md5").update(name, "utf8").digest("hex")).slice(0, HEX_DIGITS);
