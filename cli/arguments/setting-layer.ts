import { StartupError, isObject } from "rowhouse/plugin-api";
import { mergeDeep, type PartialChoices, type RawSetting } from "./choices.js";
import type { Place } from "./options.js";
import { pluginChoices } from "./plugin-choices.js";
import { jsonOrNothing } from "./readers.js";

/**
 * `--setting` pairs as choices: plain names are settings, `plugins.x.y` configures a plugin, `plugins.x` with `false`
 * switches it off, other dotted names are paths in the configuration. Of equal names the last one counts.
 */
export function settingChoices(pairs: readonly (readonly [string, string])[], place: Place): PartialChoices {
  const settings: Record<string, RawSetting> = {};
  let tree: Readonly<Record<string, unknown>> = {};
  for (const [name, value] of pairs) {
    const steps = name.split(".");
    if (steps.length === 1) settings[name] = { value, refuse: place.refuse };
    else if (steps[0] === "settings" && steps.length === 2)
      settings[steps[1] ?? ""] = { value, refuse: place.refuse };
    else if (steps.includes("")) place.refuse(`${name} has an empty step`);
    else tree = mergeDeep(tree, nested(steps, jsonValue(value)));
  }
  const { plugins = {}, ...overlay } = tree;
  const { plugins: named, config } = pluginChoices(plugins, place);
  const layer = { document: overlay, source: "--setting", file: null, under: [] };
  return {
    settings,
    layers: Object.keys(overlay).length === 0 ? [] : [layer],
    // A plugin that is only configured here may be listed elsewhere by its file.
    plugins: named.filter(({ name }) => !Object.hasOwn(config, name)),
    pluginConfig: config,
  };
}

const jsonValue = (written: string): unknown =>
  jsonOrNothing(written) ?? (written === "null" ? null : written);

const nested = (steps: readonly string[], value: unknown): Readonly<Record<string, unknown>> =>
  steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Record<string, unknown>;

/** The settings in a configuration file. */
export function settingsObject(raw: unknown, place: Place): PartialChoices["settings"] & object {
  if (!isObject(raw)) return place.refuse("should be an object of settings");
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, { value, refuse: place.refuse }]),
  );
}

/** `settings.json` of a configuration directory, with its published messages. */
export function settingsFile(raw: unknown): PartialChoices["settings"] & object {
  if (!isObject(raw)) throw new StartupError("settings.json should hold an object of settings");
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [
      name,
      { value, refuse: refuseInSettingsFile, unknownName: `Invalid setting '${name}' in settings.json` },
    ]),
  );
}

const refuseInSettingsFile = (reason: string): never => {
  throw new StartupError(`Invalid setting in settings.json: ${reason}`);
};
