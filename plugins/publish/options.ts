import type { Argv, Options } from "yargs";
import { StartupError } from "rowhouse/plugin-api";

const METADATA = "Metadata:";
const CONTENT = "Content:";
const SERVER = "Server:";

const value = (group: string, describe: string): Options => ({ group, describe, type: "string", nargs: 1 });
const list = (group: string, describe: string): Options => ({ ...value(group, describe), array: true });

/** Options that override keys of the metadata file. */
export const METADATA_SHORTCUTS = [
  "title",
  "license",
  "license_url",
  "source",
  "source_url",
  "about",
  "about_url",
] as const;

/** Options of `package` and of every target. */
export const sharedOptions: Readonly<Record<string, Options>> = {
  metadata: {
    ...value(METADATA, "Titles, descriptions, permissions, queries: JSON or YAML [FILE]"),
    alias: "m",
  },
  title: value(METADATA, "Title, over the metadata's"),
  license: value(METADATA, "Licence of the data"),
  license_url: value(METADATA, "URL of the licence"),
  source: value(METADATA, "Source of the data"),
  source_url: value(METADATA, "URL of the source"),
  about: value(METADATA, "Subject of the site"),
  about_url: value(METADATA, "URL with more about the subject"),
  "template-dir": value(CONTENT, "Your own templates [DIRECTORY]"),
  "plugins-dir": value(CONTENT, "Plugins in this folder, loaded here as well [DIRECTORY]"),
  static: list(CONTENT, "Files to serve at /MOUNT/... [MOUNT:DIRECTORY]"),
  install: list(CONTENT, "Plugin from npm: NAME, NAME@VERSION or NAME@file:PACKAGE.tgz"),
  branch: value(CONTENT, "Rowhouse from a branch: its name, or an address as npm understands it"),
  spatialite: { group: CONTENT, describe: "Load SpatiaLite", type: "boolean" },
  "extra-options": value(SERVER, "Further options of serve, split on blanks"),
  "version-note": value(SERVER, "Shown at /-/versions"),
  secret: value(SERVER, "Signs cookies and tokens; random unless given, or in ROWHOUSE_PUBLISH_SECRET"),
};

/** Secrets of plugins: an option of targets only, which store them in the environment. */
export const pluginSecretOption: Readonly<Record<string, Options>> = {
  "plugin-secret": {
    group: SERVER,
    describe: "Secret plugin configuration [NAME SETTING VALUE]",
    type: "string",
    array: true,
    nargs: 3,
  },
};

/** Their values may begin with a dash. */
export const DASHED_VALUES = ["extra-options", "secret", "title", "about", "version-note"];

/** The files to publish, as an argument. */
export const describeFiles = <T>(line: Argv<T>) =>
  line.positional("files", { type: "string", array: true, describe: "SQLite files" });

/** The values of options and arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Of an option given several times the last value counts; null where it was not given. */
export function valueOf(values: Values, name: string): string | null {
  const last = [values[name]].flat().at(-1);
  return last === undefined ? null : String(last);
}

/** Every value of an option that may be repeated. */
export const valuesOf = (values: Values, name: string): readonly string[] =>
  [values[name] ?? []].flat().map(String);

/** Was a flag given? */
export const isGiven = (values: Values, name: string): boolean => [values[name]].flat().at(-1) === true;

/** @throws StartupError (usage). @param option as messages name it: `'-p' / '--port'` */
export function refuseValue(option: string, reason: string): never {
  throw new StartupError(`Invalid value for ${option}: ${reason}`, 2);
}

/** A whole number within bounds; null without the option. @throws StartupError (exit code 2) */
export function integerOf(
  values: Values,
  { name, shown = `'--${name}'`, least, most }: IntegerOption,
): number | null {
  const written = valueOf(values, name);
  if (written === null) return null;
  if (!/^[+-]?\d+$/.test(written)) return refuseValue(shown, `'${written}' is not a valid integer range.`);
  const number = Number(written);
  if (number >= least && number <= (most ?? Infinity)) return number;
  const range = most === undefined ? `x>=${least}` : `${least}<=x<=${most}`;
  return refuseValue(shown, `${number} is not in the range ${range}.`);
}

interface IntegerOption {
  readonly name: string;
  readonly shown?: string;
  readonly least: number;
  readonly most?: number;
}
