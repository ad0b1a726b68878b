import { statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import semver from "semver";
import { API_VERSION, StartupError, isObject, type Plugin, type Rowhouse } from "rowhouse/plugin-api";
import { isPlainObject } from "rowhouse/plugin-api/engine";
import { definitionMistake } from "rowhouse/plugin-api/kernel";
import { loadFailure } from "./load-failure.js";
import type { PluginFile } from "./packages.js";
import { currentModuleUrl } from "./renewed-module.js";
import { shareRowhouse } from "./share-rowhouse.js";
import { version } from "../version.js";

/** A module with a top-level `await` that never settles would end the process without a message. */
const LOAD_LIMIT_MS = 10_000;

/**
 * Imports a plugin and checks its shape. The versions in its package are checked first, because code for another
 * version may not even load.
 *
 * @throws StartupError naming the plugin and the reason
 */
export async function importPlugin(file: PluginFile, limitMs = LOAD_LIMIT_MS): Promise<Plugin> {
  const refuse = (reason: string): never => {
    throw new StartupError(`Plugin ${file.shown} could not be loaded: ${reason}`);
  };
  const refuseMisfit = (apiVersion: number | null): void => {
    const misfit = versionMisfit(file, apiVersion);
    if (misfit !== null) refuse(misfit);
  };
  refuseMisfit(file.apiVersion);
  shareRowhouse();
  const module = await importInTime(file.path, limitMs).catch(async (error: unknown) =>
    refuse(await loadFailure(error, file.path)),
  );
  const exported = exportedObject(module);
  if (typeof exported === "string") return refuse(`${basename(file.path)} ${exported}`);
  const plugin = { name: file.name, ...withPlainHooks(exported) } as Plugin;
  const mistake = definitionMistake(plugin) ?? missingFolder(plugin);
  if (mistake !== null) return refuse(`its ${mistake}`);
  refuseMisfit(plugin.apiVersion ?? null);
  return plugin;
}

/** The folder of files or templates that does not exist, for example because the package does not contain it. */
function missingFolder(plugin: Plugin): string | null {
  for (const member of ["static", "templates"] as const) {
    const url = plugin[member];
    if (url === undefined) continue;
    const folder = fileURLToPath(url);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      return `${member} should be a folder that exists: ${folder}`;
  }
  return null;
}

function versionMisfit({ peerRange }: PluginFile, apiVersion: number | null): string | null {
  if (apiVersion !== null && apiVersion !== API_VERSION)
    return `it was made for plugin API version ${apiVersion}; this is version ${API_VERSION}`;
  if (peerRange !== null && !isInRange(version, peerRange))
    return `it was made for rowhouse ${peerRange}; this is rowhouse ${version}`;
  return null;
}

/**
 * True if a version is in a range such as `^0.1.0`. Pre-releases count as their release. A range that is no range of
 * versions (an address, a tag) matches every version, because it names a copy.
 */
export const isInRange = (actual: string, range: string): boolean =>
  semver.validRange(range) === null || semver.satisfies(semver.coerce(actual) ?? actual, range);

async function importInTime(path: string, limitMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const complaint = `it had not finished loading after ${limitMs / 1000} seconds`;
    timer = setTimeout(() => reject(new Error(complaint)), limitMs);
  });
  return Promise.race([import(currentModuleUrl(path)), late]).finally(() => clearTimeout(timer));
}

const ADVICE = "export default definePlugin({ name, ... })";

/**
 * The default export (also of CommonJS), or the module itself if it has only named functions. A text is the error in
 * the module.
 */
function exportedObject(module: unknown): Readonly<Record<string, unknown>> | string {
  if (!isObject(module)) return "is no module";
  const exported = module["default"];
  if (isObject(exported)) {
    const inner = isObject(exported["default"]) ? exported["default"] : exported;
    if (!isPlainObject(inner)) return `exports an instance of a class; ${ADVICE}`;
    return Object.keys(inner).length > 0 ? inner : `exports an empty object; ${ADVICE}`;
  }
  if (typeof exported === "function")
    return `exports a function as its default, which should be an object of hooks: ${ADVICE}`;
  if (exported !== undefined) return "should export an object of hooks as its default";
  const functions = Object.entries(module).filter(([, value]) => typeof value === "function");
  return functions.length > 0 ? { ...module } : `has no default export; ${ADVICE}`;
}

type Hook = (...args: readonly unknown[]) => unknown;

/**
 * Turns `hooks: { startup({ rowhouse }) {...} }` into hook functions of the plugin. Such a function gets one object,
 * or, if it has two parameters, the service object and the arguments. Declarations of hooks stay in `hooks`.
 */
function withPlainHooks(exported: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { hooks, ...plugin } = exported;
  if (!isObject(hooks)) return exported;
  const owned = Object.entries(hooks).filter(([, value]) => typeof value === "string" || isSpec(value));
  const functions = Object.entries(hooks).flatMap(([name, value]): readonly [string, unknown][] => {
    if (typeof value === "function") return [[name, fitted(value as Hook)]];
    return isOrdered(value) ? [[name, { ...value, run: fitted(value.run) }]] : [];
  });
  return {
    ...plugin,
    ...Object.fromEntries(functions),
    ...(owned.length > 0 && { hooks: Object.fromEntries(owned) }),
  };
}

const isSpec = (value: unknown): boolean => isObject(value) && typeof value["kind"] === "string";

const isOrdered = (value: unknown): value is { readonly run: Hook } =>
  isObject(value) && typeof value["run"] === "function";

const fitted =
  (hook: Hook) =>
  (rowhouse: Rowhouse, args: object): unknown =>
    hook.length >= 2 ? hook(rowhouse, args) : hook({ ...args, rowhouse });
