import { StartupError, type Command } from "rowhouse/plugin-api";
import type { CommandGroup } from "rowhouse/plugin-api/contracts";
import { nearNames } from "rowhouse/plugin-api/names";

/** A command, or a group of commands under one word. */
export type AnyCommand = Command | CommandGroup;

export const isGroup = (command: AnyCommand): command is CommandGroup => "commands" in command;

/** The words that call a command: `serve`, `publish heroku`. */
export const calledBy = ({ command }: AnyCommand): string =>
  command
    .split(" ")
    .filter((word) => !/^[<[]/.test(word))
    .join(" ");

/** The parameters of a command in its declaration: `<id>`, `[files..]`. */
export const parametersOf = ({ command }: AnyCommand): readonly string[] =>
  command.split(" ").filter((word) => /^[<[]/.test(word));

/** A command of a group, called by both words. */
export const inGroup = (group: CommandGroup, command: Command): Command => ({
  ...command,
  command: `${group.command} ${command.command}`,
});

/**
 * The command of a command line: one of a group if the second word names it.
 *
 * @returns null if the first word is no command
 */
export function commandAt(commands: readonly AnyCommand[], words: readonly string[]): AnyCommand | null {
  const [first, second] = words;
  const found = commands.find((command) => calledBy(command) === first);
  if (found === undefined || !isGroup(found)) return found ?? null;
  const inner = found.commands.find((command) => calledBy(command) === second);
  return inner === undefined ? found : inGroup(found, inner);
}

/** @throws StartupError (exit code 2) if the second word names no command of the group */
export function refuseUnknown(command: AnyCommand, [, word]: readonly string[]): void {
  if (!isGroup(command) || word === undefined || word.startsWith("-")) return;
  const names = command.commands.map(calledBy);
  const near = nearNames(word, names);
  const possible = (near.length === 0 ? names : near).join(", ");
  throw new StartupError(`No such command '${word}'. (Possible commands: ${possible})`, 2);
}
