import { readdirSync } from "node:fs";
import type { PluginInput } from "rowhouse";
import { tappedHooks } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { consoleLog } from "./console-log.js";
import { choosePlugins } from "./kernel-options.js";
import { resolveChoices } from "./resolve.js";

/** Prints what would be loaded; nothing of it is started. */
export async function listPlugins({ all, requirements, ...parsed }: Parsed): Promise<void> {
  const { plugins, files } = await choosePlugins(await resolveChoices(parsed, consoleLog));
  const listed = plugins
    .filter(({ plugin }) => all === true || files.has(plugin.name))
    .map(listing)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  process.stdout.write(`${requirements === true ? listed.map(requirement).join("\n") : json(listed)}\n`);
}

function listing({ plugin, version }: PluginInput) {
  return {
    name: plugin.name,
    static: holdsFiles(plugin.static),
    templates: holdsFiles(plugin.templates),
    version: version ?? plugin.version ?? null,
    hooks: tappedHooks(plugin),
  };
}

const json = (value: unknown): string => JSON.stringify(value, null, 4);

const requirement = ({ name, version }: ReturnType<typeof listing>): string =>
  version === null ? name : `${name}@${version}`;

/** A folder that a plugin names but that is not there counts as none. */
function holdsFiles(folder: URL | undefined): boolean {
  try {
    return folder !== undefined && readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
