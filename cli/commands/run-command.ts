import { existsSync } from "node:fs";
import { messageOf, StartupError, type Command } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";
import {
  buildCommandLine,
  detachValues,
  tieRandomText,
  tieValues,
  withoutDoubleDash,
} from "../arguments/command-line.js";
import { calledBy, commandAt, isGroup, refuseUnknown, type AnyCommand } from "../arguments/command-tree.js";
import {
  COMPLETION_REQUEST,
  completionCommand,
  configCommand,
  devCommand,
  inspectCommand,
  pluginsCommand,
  serveCommand,
} from "./commands.js";
import { consoleLog } from "../log/console-log.js";
import { installCommand, uninstallCommand } from "./install.js";
import { pluginCommand } from "./new-plugin.js";
import { coloured } from "../log/colour.js";
import { reloadCommand } from "./reload-command.js";
import { allServeOptions } from "../arguments/serve-options.js";
import { noteEarlyReload } from "../serve/signals.js";
import { sweepTemporaryFiles } from "../serve/temporary-files.js";
import { usageLine } from "../arguments/usage.js";

const ownCommands: readonly Command[] = [
  serveCommand,
  reloadCommand,
  inspectCommand,
  pluginsCommand,
  installCommand,
  uninstallCommand,
  pluginCommand,
  configCommand,
  devCommand,
  completionCommand,
];

/**
 * Runs the command line and sets the exit code: 0 success, 1 an error, 2 wrong usage.
 *
 * @param given the arguments after `rowhouse`; a first word that is no command is an argument of `serve`
 */
export async function runCommand(given: readonly string[]): Promise<void> {
  const words = tieRandomText(given, ["secret"]);
  let used: AnyCommand | null = null;
  let advice = "";
  const ended = (): void => {
    process.exitCode = report(new Error("The command ended before its work was done"), used, "");
  };
  // Node ends a process that waits for a promise alone, with success.
  process.once("beforeExit", ended);
  try {
    const [first = ""] = words;
    const isOverview = ["--help", "--version", "-V", COMPLETION_REQUEST].includes(first);
    const others = await commandsOfPlugins(words);
    const commands = [...ownCommands, ...others];
    const named = commandAt(commands, words);
    used = named ?? (isOverview ? null : serveCommand);
    if (used === serveCommand) noteEarlyReload();
    if (used === serveCommand && named === null) advice = commandAdvice(first, commands);
    const isShort = named === null && !isOverview;
    const forYargs = withoutDoubleDash(wordsForYargs(used, isShort ? ["serve", ...words] : words));
    await buildCommandLine(commands, used, forYargs).parseAsync([...forYargs]);
  } catch (error) {
    process.exitCode = report(error, used, advice);
    // A worker that cannot start waits for no orders.
    process.channel?.unref();
  } finally {
    process.off("beforeExit", ended);
  }
}

/** The words of a command in the form that yargs needs. @throws StartupError for an unknown command of a group */
function wordsForYargs(used: AnyCommand | null, words: readonly string[]): readonly string[] {
  if (used === null) return words;
  if (used === serveCommand) {
    const paths = tieValues(words, ["get"], (word) => word.startsWith("-/"));
    return detachValues(tieRandomText(paths, ["token"]), allServeOptions);
  }
  if (!isGroup(used)) return tieValues(words, used.dashedValues ?? []);
  const [name = "", ...more] = words;
  if (more.length === 0 || more[0] === "-h") return [name, "--help"];
  refuseUnknown(used, words);
  return words;
}

/** The commands of plugins, if the first word may be one of them. */
async function commandsOfPlugins(words: readonly string[]): Promise<readonly AnyCommand[]> {
  const [first = ""] = words;
  if (!mayBeOfPlugin(first)) return [];
  const { pluginCommands } = await import("./plugin-commands.js");
  const { commands, warnings } = await pluginCommands(words, ownCommands.map(calledBy)).catch(
    (error: unknown) => {
      // Help must work although a plugin fails. Completions are printed into the command line of the user, so they
      // contain no warnings.
      if (first !== "--help" && first !== COMPLETION_REQUEST) throw error;
      if (first === "--help") consoleLog.warn(messageOf(error));
      return { commands: [], warnings: [] };
    },
  );
  // A word that is no command is a file of `serve`, which prints these warnings too.
  if (commands.some((command) => calledBy(command) === first)) {
    for (const warning of warnings) consoleLog.warn(warning);
    void sweepTemporaryFiles();
  }
  return commands;
}

/** A word with a dot or a slash is no command but a file. */
const COMMAND_NAME = /^[a-z][\w:-]*$/i;

/** Plugins are loaded only for words that can be commands. */
function mayBeOfPlugin(word: string): boolean {
  if (ownCommands.some((command) => calledBy(command) === word)) return false;
  return word === "--help" || word === COMPLETION_REQUEST || COMMAND_NAME.test(word);
}

/** The nearest command for a file that does not exist; empty if none is similar. */
function commandAdvice(word: string, commands: readonly AnyCommand[]): string {
  if (!COMMAND_NAME.test(word) || existsSync(word)) return "";
  const [near] = nearNames(word, commands.map(calledBy), 1);
  return near === undefined ? "" : ` Did you mean the command ${near}?`;
}

/**
 * Prints the message of an error, without a stack trace. Returns the exit code.
 *
 * @param advice follows the message
 */
function report(error: unknown, used: AnyCommand | null, advice: string): 1 | 2 {
  const exitCode = error instanceof StartupError ? error.exitCode : 1;
  const path = used === null ? "rowhouse" : `rowhouse ${calledBy(used)}`;
  if (exitCode === 2) {
    process.stderr.write(`Usage: ${usageLine(used)}\nTry '${path} --help' for help.\n\n`);
  }
  process.stderr.write(`${coloured("red", "Error:")} ${messageOf(error)}${advice}\n`);
  return exitCode;
}
