import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import type { PluginInput } from "rowhouse";
import { StartupError, type Plugin } from "rowhouse/plugin-api";
import { kernelHooks, tappedHooks, unknownHook } from "rowhouse/plugin-api/kernel";
import { nearNames } from "rowhouse/plugin-api/names";
import type { PartialChoices, PluginChoice } from "../arguments/choices.js";
import { shownPath } from "../configuration/read-file.js";
import {
  directDependencies,
  installedPackage,
  isPluginPackage,
  isRequired,
  manifestIn,
  nearestManifest,
  pluginOfPackage,
  type PluginFile,
} from "./packages.js";

/** The plugins to run, and the configuration of each by the name it goes by. */
export interface FoundPlugins {
  /** In the order in which the kernel calls them: those that were installed, then the bundled ones. */
  readonly plugins: readonly PluginInput[];
  /** Bundled ones that the configuration switches off. */
  readonly switchedOff: readonly Plugin[];
  /** What the configuration switches off although it is neither bundled nor installed. */
  readonly mistaken: readonly MistakenName[];
  /** What has a configuration, although no plugin of this name is loaded. */
  readonly unused: readonly MistakenName[];
  /** The modules of those that are not bundled, by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly pluginConfig: Readonly<Record<string, unknown>>;
}

/** A name that no plugin has, and one that was probably meant. */
export interface MistakenName {
  readonly name: string;
  readonly near: string | null;
}

/** What decides which plugins are loaded. */
export type PluginSelection = Pick<
  PartialChoices,
  "plugins" | "onlyPlugins" | "autoload" | "pluginsDir" | "pluginConfig"
>;

/**
 * The plugins of the configuration, of the plugins folder, and of the project's direct dependencies, in this order, then
 * the bundled plugins. So the first result that the kernel receives is that of an installed plugin.
 *
 * @param project the folder whose project is searched for dependencies
 * @throws StartupError naming the plugin that can't be loaded
 */
export async function findPlugins(
  bundled: readonly Plugin[],
  selection: PluginSelection,
  project: string,
): Promise<FoundPlugins> {
  const refused = refusedNames(selection);
  const isRefused = ({ name }: Plugin): boolean => refused.has(name) || refused.has(`rowhouse.${name}`);
  const kept = bundled.filter((plugin) => !isRefused(plugin));
  const bundledNames = new Set(bundled.flatMap(({ name }) => [name, `rowhouse.${name}`]));
  const found = [
    ...configuredFiles(selection, bundledNames, project),
    ...(selection.pluginsDir === undefined ? [] : folderFiles(selection.pluginsDir)),
    ...discoveredFiles(selection, project),
  ];

  const pluginConfig: Record<string, unknown> = { ...selection.pluginConfig };
  const installed: PluginInput[] = [];
  const files = new Map<string, string>();
  const origins = new Map(kept.map(({ name }) => [name, "the bundled plugin"]));
  for (const { file } of firstOfEachFile(found)) {
    const { importPlugin } = await import("./plugin-module.js");
    const plugin = await importPlugin(file);
    refuseNamesake(plugin.name, file, origins);
    files.set(plugin.name, file.path);
    installed.push({ plugin, version: plugin.version ?? file.version });
    for (const { listed } of found.filter((one) => one.file.path === file.path))
      if (Object.hasOwn(pluginConfig, listed)) pluginConfig[plugin.name] ??= pluginConfig[listed];
  }
  const plugins = [...installed, ...kept.map((plugin) => ({ plugin }))];
  refuseUnknownHooks(plugins, bundled);
  const mistaken = [...refused]
    .filter((name) => !bundledNames.has(name) && !isInstalled(name, project))
    .map((name) => withNearest(name, bundledNames));
  const loaded = new Set([
    ...bundled.map(({ name }) => name),
    ...files.keys(),
    ...found.map(({ listed }) => listed),
  ]);
  const unused = Object.keys(selection.pluginConfig ?? {})
    .filter((name) => !loaded.has(name) && !isSwitchedOff(name, refused))
    .map((name) => withNearest(name, loaded));
  return { plugins, switchedOff: bundled.filter(isRefused), mistaken, unused, files, pluginConfig };
}

/** A plugin that several places name is loaded once. */
const firstOfEachFile = (found: readonly Found[]): readonly Found[] =>
  found.filter(({ file }, index) => found.findIndex((one) => one.file.path === file.path) === index);

const withNearest = (name: string, names: Iterable<string>): MistakenName => ({
  name,
  near: nearNames(name, names, 1)[0] ?? null,
});

/** The plugins that the configuration switches off, by the names that it uses. */
const refusedNames = ({ plugins = [] }: PluginSelection): ReadonlySet<string> =>
  new Set(plugins.filter(({ load }) => !load).map(({ name }) => name));

/** True for each name of a plugin that the configuration switches off by any of them. */
function isSwitchedOff(name: string, refused: ReadonlySet<string>): boolean {
  const names = new Set([...refused].flatMap(packageNames));
  return packageNames(name).some((one) => names.has(one));
}

/** @throws StartupError saying where both plugins of one name come from */
function refuseNamesake(name: string, { shown, path }: PluginFile, origins: Map<string, string>): void {
  const other = origins.get(name);
  if (other !== undefined)
    throw new StartupError(`Two plugins are named ${name}: ${other} and ${shown} (${shownPath(path)})`);
  origins.set(name, `${shown} (${shownPath(path)})`);
}

/** @throws StartupError naming the hook that was probably meant */
function refuseUnknownHooks(plugins: readonly PluginInput[], bundled: readonly Plugin[]): void {
  const owners = [...bundled, ...plugins.map(({ plugin }) => plugin)];
  const known = new Set([kernelHooks, ...owners.map(({ hooks = {} }) => hooks)].flatMap(Object.keys));
  for (const { plugin } of plugins) {
    const unknown = tappedHooks(plugin).find((hook) => !known.has(hook));
    if (unknown === undefined || plugin.optionalHooks?.includes(unknown)) continue;
    throw unknownHook(plugin.name, unknown, known);
  }
}

/** Where the code of plugins lies that are not bundled, without loading any; what is not there is left out. */
export function pluginPaths(selection: PluginSelection, project: string): readonly string[] {
  const listed = (selection.plugins ?? []).filter(({ load }) => load);
  return [
    ...listed.flatMap((choice) => pathsOf(() => [configuredFile(choice)])),
    ...pathsOf(() => discoveredFiles(selection, project).map(({ file }) => file)),
  ];
}

function pathsOf(find: () => readonly PluginFile[]): readonly string[] {
  try {
    return find().map(({ path }) => path);
  } catch {
    return [];
  }
}

interface Found {
  readonly file: PluginFile;
  /** The name under which it is configured, if not its own. */
  readonly listed: string;
}

function configuredFiles(
  selection: PluginSelection,
  bundled: ReadonlySet<string>,
  project: string,
): readonly Found[] {
  const { onlyPlugins } = selection;
  const only = onlyPlugins?.map((name): PluginChoice => ({ name, load: true, folder: project }));
  const listed = (selection.plugins ?? []).filter(({ name, load }) => load && !bundled.has(name));
  return (only ?? listed).map((choice) => ({ file: configuredFile(choice), listed: choice.name }));
}

/** @throws StartupError when nothing of that name is there */
function configuredFile({ name, folder }: PluginChoice): PluginFile {
  if (isPath(name)) return fileAt(resolve(folder, name), name);
  for (const candidate of packageNames(name)) {
    const manifest = installedPackage(candidate, folder);
    if (manifest !== null) return pluginOfPackage(manifest, name);
  }
  throw new StartupError(
    `Plugin ${name} could not be loaded: no package ${packageNames(name).join(" or ")} is installed in ${folder}`,
  );
}

const isInstalled = (name: string, folder: string): boolean =>
  isPath(name) || packageNames(name).some((candidate) => installedPackage(candidate, folder) !== null);

const isPath = (name: string): boolean =>
  name.startsWith(".") || isAbsolute(name) || MODULE_SUFFIXES.includes(extname(name));

/** `auth-github` is short for `rowhouse-plugin-auth-github`, `@me/x` for `@me/rowhouse-plugin-x`. */
function packageNames(name: string): readonly string[] {
  const [, scope = "", rest = name] = /^(@[^/]+\/)?(.*)$/s.exec(name) ?? [];
  if (rest.startsWith("rowhouse-plugin-")) return [name];
  return [`${scope}rowhouse-plugin-${rest}`, name];
}

const MODULE_SUFFIXES = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

function fileAt(path: string, shown: string): PluginFile {
  const manifest = isFolder(path) ? manifestIn(path) : null;
  if (manifest !== null) return pluginOfPackage(manifest, shown);
  return { shown, path, name: basename(path), version: null, apiVersion: null, peerRange: null };
}

/** Modules directly inside the folder, and packages in folders of their own, by name. */
function folderFiles(folder: string): readonly Found[] {
  const names = readdirSync(folder).toSorted();
  const isPlugin = (name: string): boolean => {
    // Hidden files are those of editors, which have the suffix of the file that is edited.
    if (name.startsWith(".")) return false;
    if (isFolder(join(folder, name))) return existsSync(join(folder, name, "package.json"));
    if (!MODULE_SUFFIXES.includes(extname(name))) return false;
    // Declarations of types are no modules, and a compiled module is loaded instead of its source.
    const compiled = name.replace(/ts$/, "js");
    return !/\.d\.[cm]?ts$/.test(name) && (compiled === name || !names.includes(compiled));
  };
  return names.filter(isPlugin).map((name) => ({ file: fileAt(join(folder, name), name), listed: name }));
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Plugins that are only transitive dependencies are not loaded. */
function discoveredFiles(selection: PluginSelection, project: string): readonly Found[] {
  if (selection.autoload === false || selection.onlyPlugins !== undefined) return [];
  const manifest = nearestManifest(project);
  if (manifest === null) return [];
  const refusedPackages = new Set([...refusedNames(selection)].flatMap(packageNames));
  return directDependencies(manifest).flatMap((name) => {
    if (refusedPackages.has(name)) return [];
    const installed = installedPackage(name, manifest.folder);
    if (!isPluginPackage(name, installed)) return [];
    // Installations on servers have no dependencies for development. Their absence is no error.
    if (installed === null && !isRequired(name, manifest)) return [];
    if (installed === null) {
      throw new StartupError(`Plugin ${name} could not be loaded: it is not installed in ${manifest.folder}`);
    }
    return [{ file: pluginOfPackage(installed, name), listed: name }];
  });
}
