import { StartupError } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";
import { calledBy, isGroup, parametersOf, type AnyCommand } from "./command-tree.js";

/** `rowhouse serve [OPTIONS] [FILES]...` */
export function usageLine(command: AnyCommand | null): string {
  if (command === null) return "rowhouse [OPTIONS] COMMAND [ARGS]...";
  const parameters = isGroup(command) ? ["COMMAND", "[ARGS]..."] : parametersOf(command).map(shownParameter);
  return ["rowhouse", calledBy(command), "[OPTIONS]", ...parameters].join(" ");
}

/** `<id>` is shown as `ID`, `[files..]` as `[FILES]...`. */
function shownParameter(parameter: string): string {
  const [, bracket, name = "", dots] = /^([<[])(.*?)(\.\.)?[>\]]$/.exec(parameter) ?? [];
  const shown = bracket === "[" ? `[${name.toUpperCase()}]` : name.toUpperCase();
  return dots === undefined ? shown : `${shown}...`;
}

/** The declarations of the current command in yargs. */
export interface KnownOptions {
  readonly names: readonly string[];
  /** The number of values of an option. */
  valueCount(name: string): number;
}

/** Turns an English error message of yargs into the published one. @param words the original arguments */
export function usageError(
  complaint: string,
  words: readonly string[],
  command: AnyCommand | null,
  known: KnownOptions,
): StartupError {
  return new StartupError(translate(complaint, words, command, known), 2);
}

/**
 * Rejects `--default-deny=yes`. yargs reads each value of a flag except `true` as false, so that the option would be off
 * without a message. @param flags the long and short names of the flags
 * @throws StartupError
 */
export function refuseFlagValue(words: readonly string[], flags: readonly string[]): void {
  for (const word of words) {
    const [, name = "", value] = /^--?([^=]+)=(.*)$/s.exec(word) ?? [];
    if (value === undefined || value === "true" || value === "false" || !flags.includes(name)) continue;
    throw new StartupError(`Option '${dashed(name)}' does not take a value, except true and false`, 2);
  }
}

const dashed = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);

function translate(
  complaint: string,
  words: readonly string[],
  command: AnyCommand | null,
  known: KnownOptions,
): string {
  const choice = NOT_A_CHOICE.exec(complaint);
  if (choice !== null) return wrongChoice(choice, command);
  const [, kind, rest = ""] = /^([^:]*): (.*)$/s.exec(complaint) ?? [];
  const [first = ""] = rest.split(", ");
  if (kind === "Not enough arguments following") {
    const count = known.valueCount(rest);
    return `Option '${dashed(rest)}' requires ${count === 1 ? "an argument" : `${count} arguments`}.`;
  }
  if (kind === "Missing required argument" || kind === "Missing required arguments") {
    return `Missing option '${dashed(first)}'.`;
  }
  if (kind === "Not enough non-option arguments")
    return `Missing argument '${missingParameter(rest, command)}'.`;
  if (kind === "Unknown argument" || kind === "Unknown arguments") {
    return words.some((word) => isOption(word, first))
      ? `No such option: ${dashed(first)}${possibleOptions(first, known.names)}`
      : `Got unexpected extra argument (${first})`;
  }
  return complaint;
}

/** The complaint of yargs about a value that is not one of `choices`. */
const NOT_A_CHOICE = /^Invalid values:\s+Argument: (.*?), Given: (.*), Choices: (.*)$/m;

function wrongChoice(
  [, name = "", given = "", choices = ""]: readonly string[],
  command: AnyCommand | null,
): string {
  const parameter = command && parametersOf(command).find((one) => /[\w-]+/.exec(one)?.[0] === name);
  const shown = parameter ? shownParameter(parameter) : dashed(name);
  return `Invalid value for '${shown}': ${given.replaceAll('"', "'")} is not one of ${choices.replaceAll('"', "'")}.`;
}

const isOption = (word: string, name: string): boolean =>
  name.length === 1
    ? /^-[^-]/.test(word) && word.includes(name)
    : word === `--${name}` || word.startsWith(`--${name}=`);

function missingParameter(counts: string, command: AnyCommand | null): string {
  const got = Number(/got (\d+)/.exec(counts)?.[1] ?? 0);
  const parameters = command === null ? [] : parametersOf(command);
  return shownParameter(parameters[got] ?? parameters[0] ?? "");
}

function possibleOptions(name: string, names: readonly string[]): string {
  const near = nearNames(dashed(name), names.filter((one) => one.length > 1).map(dashed)).toSorted();
  return near.length === 0 ? "" : ` (Possible options: ${near.join(", ")})`;
}
