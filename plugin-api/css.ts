import { createHash } from "node:crypto";

const VALID = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/**
 * The published form of a name for CSS classes, anchors, template names and file names: the name itself where
 * it can be one, else what is left of it plus six hex digits that keep it apart: `has space` is
 * `has-space-53f8a8`.
 */
export function cssClass(name: string): string {
  if (VALID.test(name)) return name;
  const known = REMEMBERED.get(name);
  if (known !== undefined) return known;
  const made = makeClass(name);
  if (REMEMBERED.size < 5000 && name.length < 200) REMEMBERED.set(name, made);
  return made;
}

const REMEMBERED = new Map<string, string>();

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

/** The colour a database is known by, as six hex digits: of its content where that has a hash, else of its name. */
export const databaseColor = (name: string, hash: string | null): string =>
  (hash ?? createHash("md5").update(name, "utf8").digest("hex")).slice(0, HEX_DIGITS);
