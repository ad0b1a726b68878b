import { existsSync, readdirSync, realpathSync, statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { consoleLog } from "../log/console-log.js";
import { pluginPaths } from "../plugins/find-plugins.js";
import { isPluginPackage, manifestIn } from "../plugins/packages.js";
import type { Resolved } from "../configuration/resolve.js";

/** A file or folder that the server depends on. */
export interface Watched {
  readonly path: string;
  /** The files of a folder that count; all of them if absent. */
  readonly counts?: (name: string) => boolean;
  /** True to watch only files directly in the folder. */
  readonly flat?: true;
}

const CODE = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".html", ".css"]);
const isCode = (name: string): boolean => CODE.has(extname(name));

const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * The files that `serve` reads at start, or would read if they existed: configuration, metadata, templates, plugins,
 * key and certificate.
 */
function watchList(resolved: Resolved): readonly Watched[] {
  const { choices, configFile, project } = resolved;
  const { metadata, pluginsDir, templateDir, inspectFile, immutable, static: mounts } = choices;
  const { sslKeyfile, sslCertfile } = choices;
  const paths = [
    configFile,
    metadata !== undefined && "path" in metadata ? metadata.path : null,
    pluginsDir,
    templateDir,
    inspectFile,
    sslKeyfile,
    sslCertfile,
    ...(mounts ?? []).map(({ folder }) => folder),
    ...(immutable ?? []).map(({ path }) => path),
  ];
  const certain = paths.filter((path) => typeof path === "string").map((path): Watched => ({ path }));
  const configuration: Watched = { path: project, counts: isConfiguration, flat: true };
  return [...certain, configuration, ...pluginPaths(choices, project).flatMap(codeAround)];
}

/** A file that would be a configuration file if it existed. */
const isConfiguration = (name: string): boolean =>
  /^(?:\.rowhouserc|rowhouse\.|metadata\.|settings\.json|package\.json)/.test(name);

/** For a package its folders, with links resolved; for a file the code beside it. */
export function codeAround(path: string): readonly Watched[] {
  if (!existsSync(path)) return [];
  const folder = packageFolder(realpathSync(path));
  if (folder === null) return [{ path: dirname(path), counts: isCode, flat: true }];
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map(({ name }): Watched => ({ path: join(folder, name), counts: isCode }));
  return [{ path: folder, counts: isCode, flat: true }, ...folders];
}

/** The nearest package that contains a module, unless it is the project around a plugin. */
function packageFolder(path: string): string | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestIn(folder);
    if (manifest !== null) return isPluginPackage(String(manifest.content["name"]), manifest) ? folder : null;
  }
  return null;
}

/** Calls a function when one of the files of a server is written, created or deleted. */
export class FileWatcher {
  #watchers: readonly FSWatcher[] = [];

  constructor(private readonly changed: () => void) {}

  /** Watches these files instead of those before. */
  watch(resolved: Resolved): void {
    const before = this.#watchers;
    this.#watchers = watchList(resolved).flatMap((watched) => this.#watchOne(watched));
    for (const watcher of before) watcher.close();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #watchOne({ path, counts = () => true, flat }: Watched): readonly FSWatcher[] {
    // Editors replace files, and other programs folders: what has a name changes.
    const named = this.#watchFolder(dirname(path), { isMeant: (name) => name === basename(path) });
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return named;
    return [...named, ...this.#watchFolder(path, { isMeant: counts, recursive: flat !== true })];
  }

  #watchFolder(
    folder: string,
    { isMeant, recursive = false }: { isMeant: (name: string) => boolean; recursive?: boolean },
  ): readonly FSWatcher[] {
    if (!existsSync(folder)) return [];
    const watcher = watch(folder, { recursive }, (_event, name) => {
      if (name === null || isMeant(basename(name))) this.changed();
    });
    watcher.on("error", (error: NodeJS.ErrnoException) => {
      // A folder was deleted, which its parent reports.
      if (error.code !== "ENOENT") consoleLog.warn(`Could not watch ${folder}: ${error.message}`);
    });
    return [watcher];
  }
}
