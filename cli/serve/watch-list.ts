import { existsSync, statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { consoleLog } from "../log/console-log.js";
import { pluginPaths } from "../plugins/find-plugins.js";
import { codeAround, type CodeFolder } from "../plugins/plugin-code.js";
import type { Resolved } from "../configuration/resolve.js";

/** A file or folder that the server depends on. Without `counts`, all files of a folder count. */
type Watched = Pick<CodeFolder, "path"> & Partial<CodeFolder>;

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
