import { existsSync, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { pluginPaths } from "./find-plugins.js";
import { isPluginPackage, manifestIn } from "./packages.js";
import type { Resolved } from "./resolve.js";

/** Something that a server is made from: a file, or everything in a folder. */
export interface Watched {
  readonly path: string;
  /** Which files of a folder count; all of them when absent. */
  readonly counts?: (name: string) => boolean;
  /** Only what lies directly in the folder. */
  readonly flat?: true;
}

const CODE = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".html", ".css"]);
const isCode = (name: string): boolean => CODE.has(extname(name));

const SKIPPED = new Set(["node_modules", ".git"]);

/** What `serve` reads at start, or would read if it were there: configuration, metadata, templates, plugins. */
export function watchList(resolved: Resolved): readonly Watched[] {
  const { choices, configFile, project } = resolved;
  const { metadata, pluginsDir, templateDir, inspectFile, immutable, static: mounts } = choices;
  const paths = [
    configFile,
    metadata !== undefined && "path" in metadata ? metadata.path : null,
    pluginsDir,
    templateDir,
    inspectFile,
    ...(mounts ?? []).map(({ folder }) => folder),
    ...(immutable ?? []).map(({ path }) => path),
  ];
  const certain = paths.filter((path) => typeof path === "string").map((path): Watched => ({ path }));
  const configuration: Watched = { path: project, counts: isConfiguration, flat: true };
  return [...certain, configuration, ...pluginPaths(choices, project).flatMap(aroundPlugin)];
}

/** A file that would configure, were it made. */
const isConfiguration = (name: string): boolean =>
  /^(?:\.rowhouserc|rowhouse\.|metadata\.|settings\.json|package\.json)/.test(name);

/** Of a package its folders, as they really are where it is linked; of a file the code beside it. */
function aroundPlugin(path: string): readonly Watched[] {
  if (!existsSync(path)) return [];
  const folder = packageFolder(realpathSync(path));
  if (folder === null) return [{ path: dirname(path), counts: isCode, flat: true }];
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map(({ name }): Watched => ({ path: join(folder, name), counts: isCode }));
  return [{ path: folder, counts: isCode, flat: true }, ...folders];
}

/** The nearest package a module belongs to, unless that is no plugin's but the project around it. */
function packageFolder(path: string): string | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestIn(folder);
    if (manifest !== null) return isPluginPackage(String(manifest.content["name"]), manifest) ? folder : null;
  }
  return null;
}

/** Calls `changed` whenever something of it is written, made or taken away. */
export function watchOne({ path, counts = () => true, flat }: Watched, changed: () => void) {
  // A file is watched by way of its folder: editors put a new file in its place.
  if (!statSync(path).isDirectory())
    return watch(dirname(path), (_event, name) => {
      if (name === basename(path)) changed();
    });
  return watch(path, { recursive: flat !== true }, (_event, name) => {
    if (name === null || counts(basename(name))) changed();
  });
}
