import type { Command, Log } from "rowhouse/plugin-api";
import yargs from "yargs";
import type { Parsed } from "../arguments/arguments.js";
import { isGroup, type AnyCommand } from "../arguments/command-tree.js";
import { declareOptions, optionNames, PARSER } from "../arguments/command-line.js";
import { consoleLog } from "../log/console-log.js";
import { choosePlugins, commandOptions } from "../configuration/kernel-options.js";
import type { Option } from "../arguments/options.js";
import { resolveChoices } from "../configuration/resolve.js";
import { configOption, serveOptions } from "../arguments/serve-options.js";

/** Options that decide which plugins, secret and token registry the command of a plugin uses. */
const sharedOptions: readonly Option[] = [
  ...serveOptions.filter(({ name }) => ["secret", "internal", "plugins-dir", "no-config"].includes(name)),
  configOption,
];

/** The commands of plugins, and warnings to print if one of them is used. */
export interface PluginCommands {
  readonly commands: readonly AnyCommand[];
  readonly warnings: readonly string[];
}

/**
 * The commands of plugins, registered with a kernel without databases.
 *
 * @param words the whole command line; only the shared options are read
 */
export async function pluginCommands(words: readonly string[]): Promise<PluginCommands> {
  const warnings: string[] = [];
  const log: Log = { ...consoleLog, info: () => {}, warn: (message) => warnings.push(message) };
  const resolved = await resolveChoices(sharedValues(words), log);
  const found = await choosePlugins(resolved);
  const { Kernel } = await import("rowhouse");
  const kernel = await Kernel.open({ ...commandOptions(resolved, found, consoleLog), dormant: true });
  const commands = await kernel.hooks.register_commands.promise([], kernel, {});
  return { commands: commands.map(withSharedOptions), warnings };
}

/** Invalid arguments are reported by the command itself, which knows all its options. */
function sharedValues(words: readonly string[]): Parsed {
  const line = yargs().parserConfiguration(PARSER).help(false).version(false).exitProcess(false);
  const parsed = declareOptions(line, sharedOptions)
    .fail(() => {})
    .parseSync([...words]) as Parsed;
  const given = sharedOptions.filter(({ name }) => parsed[name] !== undefined);
  return Object.fromEntries(given.map(({ name }) => [name, parsed[name]]));
}

const withSharedOptions = (command: AnyCommand): AnyCommand =>
  isGroup(command)
    ? { ...command, commands: command.commands.map(takingSharedOptions) }
    : takingSharedOptions(command);

function takingSharedOptions(command: Command): Command {
  const { builder = {} } = command;
  return {
    ...command,
    builder: (line) => {
      if (typeof builder === "function") builder(line);
      else line.options(builder);
      // A command may describe a shared option in its own words.
      const own = new Set(optionNames(line));
      return declareOptions(
        line,
        sharedOptions.filter(({ name }) => !own.has(name)),
      );
    },
  };
}
