import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Loader } from "cosmiconfig";
import { StartupError, isObject } from "rowhouse/plugin-api";
import { loadFailure, NO_TYPESCRIPT } from "../plugins/load-failure.js";
import { currentModuleUrl } from "../plugins/renewed-module.js";
import { shareRowhouse } from "../plugins/share-rowhouse.js";
import { parseJson, systemReason } from "./read-file.js";

/** A configuration file and its content. */
export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

/**
 * The configuration file in a folder, or the given one.
 *
 * @throws StartupError with the reason if it cannot be read
 */
export async function findConfigFile(folder: string, named: string | undefined): Promise<ConfigFile | null> {
  if (named === undefined && !mayHoldConfig(folder)) return null;
  const { default: search } = await import("cosmiconfig");
  const { cosmiconfig, defaultLoaders, getDefaultSearchPlaces } = search;
  const loaders = {
    ".js": importDefault,
    ".cjs": importDefault,
    ".mjs": importDefault,
    ".json": jsonLoader,
    ".ts": typeScriptLoader(defaultLoaders[".ts"]),
  };
  const explorer = (searchPlaces: string[]) =>
    cosmiconfig("rowhouse", { searchStrategy: "none", searchPlaces, loaders });
  const places = [...getDefaultSearchPlaces("rowhouse"), ...PLAIN_NAMES];
  try {
    const first = await (named === undefined
      ? explorer(places).search(folder)
      : explorer(places).load(resolve(named)));
    const isPlugin = first !== null && describesPlugin(first);
    const found = isPlugin
      ? await explorer(places.filter((place) => place !== MANIFEST)).search(folder)
      : first;
    return found === null || found.isEmpty === true ? null : { path: found.filepath, content: found.config };
  } catch (error) {
    const file = named ?? (error as { readonly filepath?: string }).filepath ?? folder;
    throw new StartupError(`Could not read ${file}: ${await reasonOf(file, error)}`);
  }
}

/** False if no file of the folder can be a configuration file. Saves loading the search for one. */
const mayHoldConfig = (folder: string): boolean =>
  !existsSync(folder) || readdirSync(folder).some((name) => CONFIG_NAME.test(name));

/** Matches the names of all search places. */
const CONFIG_NAME = /rowhouse|^package\.|^\.config$/;

/** A configuration file with code may import `rowhouse/config` from any folder. */
const importDefault = async (path: string): Promise<unknown> => {
  shareRowhouse();
  const loaded = (await import(currentModuleUrl(path)).catch(async (error: unknown) => {
    throw new Error(await loadFailure(error, path), { cause: error });
  })) as { readonly default?: unknown };
  if (loaded.default !== undefined) return loaded.default;
  throw new Error("it has no default export: write `export default { ... }`");
};

const jsonLoader: Loader = (_path, content): unknown => {
  const parsed = parseJson(content);
  if ("value" in parsed) return parsed.value;
  throw new Error(parsed.mistake);
};

/**
 * Node 22.18 and later read TypeScript. Earlier versions need the package `typescript` before its version 7.
 */
const typeScriptLoader =
  (otherwise: Loader): Loader =>
  async (path, content) => {
    const { typescript } = process.features as { readonly typescript?: unknown };
    if (typescript) return importDefault(path);
    shareRowhouse();
    return compiled(otherwise, path, content);
  };

const NO_COMPILER = /Cannot find (?:module|package) 'typescript'|typescript\.\w+ is not a function/;

async function compiled(load: Loader, path: string, content: string): Promise<unknown> {
  try {
    return await load(path, content);
  } catch (cause) {
    if (!NO_COMPILER.test(String(cause))) throw cause;
    throw new Error(
      `${NO_TYPESCRIPT}. Or install typescript@6 beside Rowhouse, or write rowhouse.config.mjs`,
      { cause },
    );
  }
}

const NO_LOADER = /^No loader specified for extension/;
const ENDINGS = ".json, .yaml, .yml, .js, .mjs, .cjs or .ts";

/** The first line of a parser error that contains more than the place. */
async function reasonOf(file: string, error: unknown): Promise<string> {
  const reason = systemReason(error);
  if (NO_LOADER.test(reason)) return `its name should end with ${ENDINGS}`;
  if (basename(file) === MANIFEST) {
    // The search reads this file before any loader does.
    const parsed = parseJson(await readFile(file, "utf8").catch(() => "{}"));
    if ("mistake" in parsed) return parsed.mistake;
  }
  const lines = reason.split("\n");
  return lines.find((line) => line !== "" && !/ Error in .*:$/.test(line)) ?? lines[0] ?? "";
}

// True if the file uses the layout of `rowhouse.yaml` beside `metadata.yaml`.
const PLAIN_NAMES = ["rowhouse.yaml", "rowhouse.yml", "rowhouse.json"];
/** True if the key `rowhouse` contains the configuration. */
export const MANIFEST = "package.json";
const PLUGIN_KEYS: ReadonlySet<string> = new Set(["apiVersion", "name", "plugin"]);

/** In the project of a plugin, `rowhouse` in `package.json` describes the plugin and is no configuration. */
function describesPlugin({ filepath, config }: { readonly filepath: string; readonly config: unknown }) {
  if (basename(filepath) !== MANIFEST || !isObject(config)) return false;
  return Object.keys(config).every((key) => PLUGIN_KEYS.has(key));
}
