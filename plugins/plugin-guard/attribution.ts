import type { Rowhouse } from "rowhouse/plugin-api";
import { GUARDS } from "./contributions.js";

const pluginNames = new WeakMap<object, string>();

/** The installed plugin that returned this object or function from a hook; null for others. */
export const pluginOf = (contribution: object): string | null => pluginNames.get(contribution) ?? null;

/** Records the plugin of a contribution, and wraps functions that are called later: see `GUARDS`. */
export function attribute(
  rowhouse: Rowhouse,
  part: unknown,
  { plugin, hook }: { readonly plugin: string; readonly hook: string },
): unknown {
  if (!isContribution(part)) return part;
  const attributed = GUARDS[hook]?.(part, plugin, rowhouse) ?? part;
  pluginNames.set(attributed, plugin);
  return attributed;
}

const isContribution = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
