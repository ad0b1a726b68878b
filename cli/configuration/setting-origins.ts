import { basename } from "node:path";
import type { SettingValue } from "rowhouse/plugin-api";
import type { Source } from "./resolve.js";

/**
 * Where each given setting was set, for the page `/-/settings`. Files are named without their folder, which clients
 * must not see.
 *
 * @param sources weakest first
 */
export function settingOrigins(
  given: Readonly<Record<string, SettingValue>>,
  sources: readonly Source[],
): Readonly<Record<string, string>> {
  const origins = new Map(Object.keys(given).map((name) => [name, "--public"]));
  for (const { name: source, choices } of sources) {
    const from = source.startsWith("the directory ") ? "settings.json" : basename(source);
    for (const name of Object.keys(choices.settings ?? {})) origins.set(name, from);
    if (choices.metricsPort !== undefined) origins.set("metrics_port", from);
  }
  return Object.fromEntries(origins);
}
