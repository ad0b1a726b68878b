import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const known = new Map<string, string>();

/** Six hex digits of a bundled asset's content, so that a new version has a new address. */
export function fingerprint(file: string): string {
  const before = known.get(file);
  if (before !== undefined) return before;
  const content = readFileSync(new URL(`static/${file}`, import.meta.url));
  const digits = createHash("sha256").update(content).digest("hex").slice(0, 6);
  known.set(file, digits);
  return digits;
}
