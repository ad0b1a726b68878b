import { StartupError, type Plugin, type Setting, type SettingValue } from "rowhouse/plugin-api";
import { inListingOrder, kernelSettings, settingProblem } from "rowhouse/plugin-api/kernel";

export type SettingEntry = Setting & { readonly value: SettingValue; readonly given: boolean };

/** The settings of the kernel and all plugins by name, in listing order. @throws StartupError for duplicate names */
export function declaredSettings(plugins: readonly Plugin[]): ReadonlyMap<string, Setting> {
  const declared = new Map<string, Setting>();
  const owners = [{ name: "the kernel", settings: kernelSettings }, ...plugins];
  for (const { name: owner, settings = [] } of owners) {
    for (const setting of settings) {
      if (declared.has(setting.name)) {
        const first = owners.find((one) => one.settings?.some(({ name }) => name === setting.name))?.name;
        throw new StartupError(`The setting ${setting.name} is declared twice: by ${first} and by ${owner}`);
      }
      declared.set(setting.name, setting);
    }
  }
  return new Map(inListingOrder([...declared.values()]).map((setting) => [setting.name, setting]));
}

/** The error for reading a setting that no loaded plugin declares. */
export function undeclaredSetting(name: string, switchedOff: readonly Plugin[]): Error {
  const owner = switchedOff.find(({ settings = [] }) => settings.some((one) => one.name === name));
  const reason =
    owner === undefined ? ", which no plugin declares" : ` of plugin ${owner.name}, which is switched off`;
  return new Error(`A plugin reads the setting ${name}${reason}`);
}

/** The effective values. @throws StartupError (exit code 2) for unknown names and invalid values */
export function effectiveSettings(
  declared: ReadonlyMap<string, Setting>,
  given: Readonly<Record<string, SettingValue>>,
): ReadonlyMap<string, SettingEntry> {
  for (const name of Object.keys(given)) {
    if (!declared.has(name))
      throw new StartupError(`${name} is not a valid option (--help-settings to see all)`, 2);
  }
  return new Map([...declared].map(([name, setting]) => [name, effectiveSetting(setting, given[name])]));
}

function effectiveSetting(setting: Setting, value: SettingValue | undefined): SettingEntry {
  const problem = value === undefined ? null : settingProblem(setting, value);
  if (problem !== null) throw new StartupError(problem, 2);
  return { ...setting, value: value ?? setting.default, given: value !== undefined };
}
