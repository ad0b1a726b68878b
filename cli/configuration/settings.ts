import { StartupError, type Plugin, type Setting, type SettingValue } from "rowhouse/plugin-api";
import { settingProblem, switchedTo } from "rowhouse/plugin-api/kernel";
import { nearNames } from "rowhouse/plugin-api/names";
import type { RawSetting } from "../arguments/choices.js";

const REMOVED: Readonly<Record<string, string>> = {
  hash_urls: "The hash_urls setting has been removed, a caching proxy in front of the server does the same",
  default_cache_ttl_hashed:
    "The default_cache_ttl_hashed setting has been removed, it belonged to hash_urls, which is gone",
};

/** The settings that plugins declare. */
export interface KnownSettings {
  readonly declared: ReadonlyMap<string, Setting>;
  /** Their settings have no effect. */
  readonly switchedOff: readonly Plugin[];
}

/**
 * Validated settings for the kernel: all names are declared, and all values have the type of the default.
 *
 * @throws StartupError naming the setting and the reason
 */
export function checkSettings(
  written: Readonly<Record<string, RawSetting>>,
  known: KnownSettings,
): Readonly<Record<string, SettingValue>> {
  return Object.fromEntries(
    Object.entries(written).map(([name, setting]) => [name, checkSetting(name, setting, known)]),
  );
}

function checkSetting(
  name: string,
  written: RawSetting,
  { declared: settings, switchedOff }: KnownSettings,
): SettingValue {
  const declared = settings.get(name);
  const removed = Object.hasOwn(REMOVED, name) ? REMOVED[name] : undefined;
  if (removed !== undefined) return written.refuse(removed);
  if (declared === undefined) {
    if (written.unknownName !== undefined) throw new StartupError(written.unknownName);
    const owner = switchedOff.find((plugin) => plugin.settings?.some((one) => one.name === name));
    if (owner !== undefined)
      return written.refuse(`${name} belongs to the plugin ${owner.name}, which is switched off`);
    const [near] = nearNames(name, settings.keys(), 1);
    const advice = near === undefined ? "" : `. Did you mean ${near}?`;
    return written.refuse(`${name} is not a valid option (--help-settings to see all)${advice}`);
  }
  const value = typed(written.value, declared.default);
  const mistake = settingProblem(declared, value);
  return mistake === null ? (value as SettingValue) : written.refuse(mistake);
}

/** The value in the type of the example, if it can be converted; otherwise unchanged. */
function typed(value: unknown, example: SettingValue): unknown {
  const words = String(value);
  if (typeof example === "boolean") return switchedTo(words.toLowerCase()) ?? value;
  return typeof example === "number" && /^\d+$/.test(words) ? Number(words) : value;
}

/** The output of `--help-settings`. */
export function describeSettings(declared: Iterable<Setting>): string {
  const settings = [...declared];
  const width = Math.max(0, ...settings.map(({ name }) => name.length)) + 2;
  const lines = settings.map(
    ({ name, help, default: value }) => `  ${name.padEnd(width)}${help} (default=${shown(value)})`,
  );
  return ["Settings:", ...lines].join("\n");
}

const shown = (value: SettingValue): string => {
  if (typeof value !== "boolean") return String(value);
  return value ? "True" : "False";
};
