import type { MetadataBlock } from "./contracts/metadata.js";

const SECRET_KEY = /secret|key|password|token|hash|dsn/i;
const MASK = "***";

/** The block with plain values under secret-looking keys of its `plugins` shown as `***`. */
export function maskPlugins(block: MetadataBlock): MetadataBlock {
  if (!Object.hasOwn(block, "plugins")) return block;
  return { ...block, plugins: maskSecrets(block["plugins"]) };
}

/** The same value with what stands under secret-looking keys, at any depth, shown as `***`. */
export const maskSecrets = (value: unknown): unknown => masked(value, "open");

function masked(value: unknown, mode: "open" | "secret"): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, mode));
  // A reference such as {"$env": "NAME"} tells where a secret is, not what it is.
  if (isReference(value)) return value;
  if (!isBlock(value)) return mode === "secret" && value !== null ? MASK : value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    masked(inner, mode === "secret" || SECRET_KEY.test(key) ? "secret" : "open"),
  ]);
  return Object.fromEntries(entries);
}

function isReference(value: unknown): boolean {
  if (!isBlock(value)) return false;
  const [key, ...more] = Object.keys(value);
  return more.length === 0 && (key === "$env" || key === "$file");
}

const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);
