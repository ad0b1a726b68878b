import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { StartupError, isObject, type Log, type MetadataBlock } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { kernelSettings } from "rowhouse/plugin-api/kernel";
import { nearNames } from "rowhouse/plugin-api/names";
import { mergeDeep, type MetadataLayer, type PartialChoices } from "../arguments/choices.js";
import { inFile, type Place } from "../arguments/options.js";
import { readText } from "./read-file.js";
import { MANIFEST, type ConfigFile } from "./find-config-file.js";
import { databaseSource, existingFile, flag, list, text } from "../arguments/readers.js";
import { serveOptions } from "../arguments/serve-options.js";
import { pluginChoices } from "../arguments/plugin-choices.js";
import { settingsObject } from "../arguments/setting-layer.js";

/** Parts of the metadata that are allowed in the configuration file. */
const OVERLAY_KEYS = ["allow", "allow_sql", "permissions", "databases", "extra_css_urls", "extra_js_urls"];
const OTHER_KEYS = ["files", "settings", "metadata", "plugins", "pluginConfig", "autoload"];

const choosable = serveOptions.filter((option) => option.commandLineOnly !== true);
const optionsByKey = new Map(
  choosable.flatMap((option) => [
    [option.key as string, option] as const,
    [option.name, option] as const,
    [option.name.replaceAll("-", "_"), option] as const,
  ]),
);
const knownKeys = [...choosable.map((option) => option.key), ...OTHER_KEYS, ...OVERLAY_KEYS];

/** The choices in a configuration file. Unknown keys are logged as warnings. */
export function configFileChoices(config: ConfigFile, log: Log): PartialChoices {
  const file = basename(config.path);
  const folder = configFolder(config.path);
  const place = (key: string): Place => inFile(key, file, folder);
  const whole = file === MANIFEST ? `The key "rowhouse" of ${file}` : file;
  if (!isObject(config.content)) throw new StartupError(`${whole} should hold an object`);
  const { databases, secret, ...content } = config.content;

  const choices: Record<string, unknown> = {};
  for (const [key, raw] of Object.entries(content)) {
    const option = optionsByKey.get(key);
    if (option !== undefined) choices[option.key] = option.read(raw, place(key));
    else if (!knownKeys.includes(key)) log.warn(unknownKey(key, file));
  }
  const overlay = Object.fromEntries(
    OVERLAY_KEYS.flatMap((key) => (key in content ? [[key, content[key]]] : [])),
  );
  return {
    ...choices,
    ...otherChoices(config, config.content, place),
    ...(secret !== undefined && { secret: secrets(secret, config.path, place("secret"), log) }),
    layers: layersOf(config, isObject(databases) ? { ...overlay, databases } : overlay),
  };
}

/** The values of these keys of the file as a layer of the metadata. */
const layerOf = (
  { path }: ConfigFile,
  document: MetadataBlock,
  ...keys: readonly string[]
): MetadataLayer => ({
  document,
  source: basename(path),
  file: path,
  under: [...(basename(path) === MANIFEST ? ["rowhouse"] : []), ...keys],
});

const layersOf = (config: ConfigFile, document: MetadataBlock): readonly MetadataLayer[] =>
  Object.keys(document).length === 0 ? [] : [layerOf(config, document)];

// Paths in `.config/rowhouserc.json` are relative to the folder that contains `.config`.
const configFolder = (path: string): string => {
  const folder = dirname(resolve(path));
  return basename(folder) === ".config" ? dirname(folder) : folder;
};

const settingNames = [kernelSettings, ...Object.values(bundledSettings)].flatMap((settings) =>
  settings.map(({ name }) => name),
);

function unknownKey(key: string, file: string): string {
  const isSetting = settingNames.includes(key.replaceAll("-", "_"));
  const [near] = isSetting ? [`settings.${key}`] : nearNames(key, knownKeys, 1);
  return `Unknown key '${key}' in ${file}${near === undefined ? "" : `, did you mean '${near}'?`}`;
}

function otherChoices(
  config: ConfigFile,
  content: Readonly<Record<string, unknown>>,
  place: (key: string) => Place,
): PartialChoices {
  const { files, databases, settings, metadata, autoload, plugins, pluginConfig } = content;
  const listed = Array.isArray(databases) ? databases : files;
  const chosen = plugins === undefined ? null : pluginChoices(plugins, place("plugins"));
  const blocks = mergeDeep(chosen?.config ?? {}, isObject(pluginConfig) ? pluginConfig : {});
  return {
    ...(listed !== undefined && { files: list(databaseSource)(listed, place("files")) }),
    ...(settings !== undefined && { settings: settingsObject(settings, place("settings")) }),
    ...(metadata !== undefined && { metadata: metadataChoice(config, metadata, place("metadata")) }),
    ...(autoload !== undefined && { autoload: flag(autoload, place("autoload")) }),
    ...(chosen !== null && { plugins: chosen.plugins }),
    pluginConfig: withAbsolutePaths(blocks, place("plugins").folder) as typeof blocks,
  };
}

/** A value in which references to files, such as `{"$file": "secret.txt"}`, have absolute paths. */
function withAbsolutePaths(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withAbsolutePaths(item, folder));
  if (!isObject(value)) return value;
  const { $file: path } = value;
  if (Object.keys(value).length === 1 && typeof path === "string") return { $file: resolve(folder, path) };
  const entries = Object.entries(value).map(([key, item]) => [key, withAbsolutePaths(item, folder)]);
  return Object.fromEntries(entries) as unknown;
}

function metadataChoice(config: ConfigFile, raw: unknown, place: Place): PartialChoices["metadata"] & object {
  if (isObject(raw)) return layerOf(config, raw, "metadata");
  return { path: existingFile(raw, place) };
}

/**
 * Text, `{"$env": ...}`, `{"$file": ...}`, or a list of these. The first one signs; signatures of all are accepted.
 */
function secrets(raw: unknown, path: string, place: Place, log: Log): readonly string[] {
  return list((one) => {
    if (!isObject(one)) {
      warnIfReadable(path, log);
      return text(one, place);
    }
    const [[kind, name] = []] = Object.entries(one);
    if (kind === "$env")
      return process.env[String(name)] || place.refuse(`the variable ${String(name)} is not set`);
    if (kind === "$file") return secretFile(existingFile(name, place));
    return place.refuse('should be text, {"$env": "NAME"} or {"$file": "path"}');
  })(raw, place);
}

function warnIfReadable(path: string, log: Log): void {
  if ((statSync(path).mode & 0o044) === 0) return;
  log.warn(`The secret in ${basename(path)} can be read by other users of this machine`);
}

const secretFile = (path: string): string => readText(path).replace(/\r?\n$/, "");
