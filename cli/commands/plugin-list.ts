import { readdirSync } from "node:fs";
import { Kernel } from "rowhouse";
import { tappedHooks, type LoadedPlugin } from "rowhouse/plugin-api/kernel";
import type { Parsed } from "../arguments/arguments.js";
import { consoleLog } from "../log/console-log.js";
import { choosePlugins, commandOptions } from "../configuration/kernel-options.js";
import { resolveChoices } from "../configuration/resolve.js";
import { manifestIn } from "../plugins/packages.js";

/** Prints the plugins that a server would load, or the packages that contain them. No database is opened. */
export async function listPlugins({ all, requirements, ...parsed }: Parsed): Promise<void> {
  const { plugins, files } = await loadedPlugins(parsed);
  if (requirements === true) {
    const packages = new Set([...files.values()].map(packageOf).filter((name) => name !== null));
    return void process.stdout.write(
      [...packages]
        .toSorted()
        .map((name) => `${name}\n`)
        .join(""),
    );
  }
  // The same names as in `/-/plugins.json`.
  const nameOf = ({ plugin: { name } }: LoadedPlugin): string =>
    files.has(name) ? name : `rowhouse.${name}`;
  const listed = plugins
    .filter(({ plugin }) => all === true || files.has(plugin.name))
    .map((loaded) => listing(loaded, nameOf(loaded)))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  process.stdout.write(`${JSON.stringify(listed, null, 4)}\n`);
}

/** What a server would load, and the file of each installed plugin by name. */
interface PluginList {
  readonly plugins: readonly LoadedPlugin[];
  readonly files: ReadonlyMap<string, string>;
}

/** The plugins of a server. If the server cannot start, the list still helps to find the reason. */
async function loadedPlugins(parsed: Parsed): Promise<PluginList> {
  const resolved = await resolveChoices(parsed, consoleLog);
  const found = await choosePlugins(resolved);
  const { files } = found;
  try {
    const kernel = await Kernel.open({ ...commandOptions(resolved, found, consoleLog), dormant: true });
    return { files, plugins: kernel.plugins };
  } catch (error) {
    consoleLog.warn(`Hooks that plugins tap in setup are not listed: ${String(error)}`);
    const plugins = found.plugins.map(({ plugin, version = null }) => ({
      name: plugin.name,
      plugin,
      version,
      hooks: tappedHooks(plugin),
    }));
    return { files, plugins };
  }
}

function listing({ plugin, version, hooks }: LoadedPlugin, name: string) {
  return {
    name,
    static: holdsFiles(plugin.static),
    templates: holdsFiles(plugin.templates),
    version: version ?? plugin.version ?? null,
    hooks,
  };
}

/** The installed package of a module as `name@version`; null for modules outside of `node_modules`. */
function packageOf(path: string): string | null {
  const [folder, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/s.exec(path) ?? [];
  if (folder === undefined || name === undefined) return null;
  const version = manifestIn(folder)?.content["version"];
  return typeof version === "string" ? `${name}@${version}` : name;
}

/** A folder that does not exist counts as none. */
function holdsFiles(folder: URL | undefined): boolean {
  try {
    return folder !== undefined && readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
