import { isObject } from "rowhouse/plugin-api";
import type { PluginChoice } from "./choices.js";
import type { Place } from "./options.js";

/** The plugins to load or to switch off, and their configuration by name. */
interface PluginChoices {
  readonly plugins: readonly PluginChoice[];
  readonly config: Readonly<Record<string, unknown>>;
}

/** A list of names, or a map from name to configuration, `true`, or `false` (do not load). */
export function pluginChoices(raw: unknown, place: Place): PluginChoices {
  const { folder } = place;
  const entries = pluginEntries(raw, place);
  const plugins = entries.map(([name, value]): PluginChoice => ({ name, load: value !== false, folder }));
  const config = Object.fromEntries(entries.filter(([, value]) => typeof value !== "boolean"));
  return { plugins, config };
}

function pluginEntries(raw: unknown, place: Place): readonly [name: string, value: unknown][] {
  if (!isObject(raw)) {
    const names = [raw].flat();
    if (names.every((name) => typeof name === "string")) return names.map((name) => [name, true]);
    return place.refuse("should be a list of names, or an object with the configuration of each plugin");
  }
  const entries = Object.entries(raw);
  // In YAML, `off` and `no` are text.
  const odd = entries.find(([, value]) => value !== null && !isObject(value) && typeof value !== "boolean");
  if (odd === undefined) return entries;
  return place.refuse(`"${odd[0]}" should be true, false or an object with its configuration`);
}
