import { StartupError, type Command, type Log } from "rowhouse/plugin-api";
import yargs from "yargs";
import type { Parsed } from "../arguments/arguments.js";
import { calledBy, isGroup, type AnyCommand } from "../arguments/command-tree.js";
import { declareOptions, optionNames, PARSER } from "../arguments/command-line.js";
import { consoleLog } from "../log/console-log.js";
import { choosePlugins, commandOptions } from "../configuration/kernel-options.js";
import { resolveChoices } from "../configuration/resolve.js";
import { optionsNamed } from "../arguments/serve-options.js";

/** Options that decide which plugins, secret and token registry the command of a plugin uses. */
const sharedOptions = optionsNamed("secret", "internal", "plugins-dir", "no-config", "config");

/** The commands of plugins, and warnings to print if one of them is used. */
export interface PluginCommands {
  readonly commands: readonly AnyCommand[];
  readonly warnings: readonly string[];
}

/**
 * The commands of plugins, registered with a kernel without databases.
 *
 * @param words the whole command line; only the shared options are read
 * @param own the names of the commands that Rowhouse has without plugins
 * @throws StartupError if two commands have one name
 */
export async function pluginCommands(
  words: readonly string[],
  own: readonly string[],
): Promise<PluginCommands> {
  const warnings: string[] = [];
  const log: Log = { ...consoleLog, info: () => {}, warn: (message) => warnings.push(message) };
  const resolved = await resolveChoices(sharedValues(words), log);
  const found = await choosePlugins(resolved);
  const { Kernel } = await import("rowhouse");
  const kernel = await Kernel.open({ ...commandOptions(resolved, found, consoleLog), dormant: true });
  const commands = await kernel.hooks.register_commands.promise([], kernel, {});
  refuseClashes(commands, own, (command) => kernel.pluginOf(command));
  return { commands: commands.map(withSharedOptions), warnings };
}

/** Of two commands with one name, the handler of one would get the options of the other. */
function refuseClashes(
  commands: readonly AnyCommand[],
  own: readonly string[],
  pluginOf: (command: AnyCommand) => string | null,
): void {
  const owners = new Map(own.map((name) => [name, "Rowhouse itself"]));
  // Bundled plugins come last, and have no clashes among themselves.
  for (const command of commands.toReversed()) {
    const name = calledBy(command);
    const plugin = pluginOf(command);
    const owner = plugin === null ? "a bundled plugin" : `plugin ${plugin}`;
    const other = owners.get(name);
    if (other !== undefined)
      throw new StartupError(`The command ${name} of ${owner} exists already, in ${other}`);
    owners.set(name, owner);
  }
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
