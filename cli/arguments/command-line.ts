import type { Command } from "rowhouse/plugin-api";
import type { CommandGroup } from "rowhouse/plugin-api/contracts";
import yargs, { type Argv } from "yargs";
import { inGroup, isGroup, type AnyCommand } from "./command-tree.js";
import { version } from "../version.js";
import type { Option } from "./options.js";
import { refuseFlagValue, usageError, usageLine, type KnownOptions } from "./usage.js";

/** How arguments are parsed: as text, unchanged, one value per option. */
export const PARSER = {
  "boolean-negation": false, // --no-config is an option of its own
  "dot-notation": false,
  "duplicate-arguments-array": true,
  "parse-numbers": false,
  "parse-positional-numbers": false,
} as const;

/**
 * A yargs instance with all commands. `used` is the current command, `words` the command line, for messages.
 */
export function buildCommandLine(
  commands: readonly AnyCommand[],
  used: AnyCommand | null,
  words: readonly string[],
): Argv {
  const line = yargs()
    .scriptName("rowhouse")
    .locale("en")
    .parserConfiguration(PARSER)
    .usage("Usage: $0 [OPTIONS] COMMAND [ARGS]...\n\nPublishes SQLite files as web pages and a JSON API.")
    .help("help", "Show this help")
    .version("version", "Show the version", `rowhouse, version ${version}`)
    .alias("version", "V")
    .example("$0 data.db", "Serve a file at http://127.0.0.1:8001/")
    .example("$0 my-app/ --open", "Serve a configuration directory and open a browser")
    .example("$0 serve --help", "All options of serve")
    .epilogue("A first word that is no command is a file to serve.")
    .exitProcess(false)
    .wrap(Math.min(110, process.stdout.columns || 110))
    .strict();
  line.fail((complaint, error) => {
    // Errors of the parser of an option reach this function too.
    if (error && error.name !== "YError") throw error;
    throw usageError(
      (complaint ?? error?.message ?? "").replaceAll(NOT_AN_OPTION, ""),
      words,
      used,
      knownOptions(line),
    );
  });
  for (const command of commands) line.command(forYargs(command, words) as never);
  // yargs renders the help after every command, which takes a tenth of the time of a start.
  inside(line).getInternalMethods().getUsageInstance().cacheHelpMessage = () => undefined;
  return line;
}

const forYargs = (command: AnyCommand, words: readonly string[]): Command =>
  isGroup(command) ? groupForYargs(command, words) : withUsage(command, command, words);

/**
 * The commands of a group are declared together with the group. The handler of the group never runs: see
 * `refuseUnknown`.
 */
const groupForYargs = (group: CommandGroup, words: readonly string[]): Command => ({
  ...group,
  builder: (line) => {
    line.usage(`Usage: ${usageLine(group)}\n\n${group.describe}`);
    for (const command of group.commands) {
      line.command(withUsage(command, inGroup(group, command), words) as never);
    }
    return line;
  },
  handler: () => {},
});

/** The usage line of a command, for error messages. @param called the command with all of its words */
function withUsage(command: Command, called: Command, words: readonly string[]): Command {
  const { builder = {}, describe } = command;
  return {
    ...command,
    builder: (line) => {
      line.usage(`Usage: ${usageLine(called)}\n\n${describe}`);
      const built = typeof builder === "function" ? builder(line) : line.options(builder);
      // The command `serve` and some commands of plugins have another -h.
      if (!isDeclared(line, "h")) line.alias("help", "h");
      refuseFlagValue(words, inside(line).getOptions().boolean);
      return built;
    },
    handler: (values: object) => command.handler(writtenValues(values) as never),
  };
}

/** Members of yargs that its types do not contain. */
interface YargsInside {
  getInternalMethods(): { getUsageInstance(): { cacheHelpMessage: () => void } };
  getOptions(): {
    readonly key: Readonly<Record<string, unknown>>;
    readonly boolean: readonly string[];
    readonly narg: Readonly<Record<string, number>>;
    readonly alias: Readonly<Record<string, readonly string[]>>;
  };
}

const inside = (line: Argv): YargsInside => line as unknown as YargsInside;

function isDeclared(line: Argv, name: string): boolean {
  const { key, alias } = inside(line).getOptions();
  return name in key || Object.values(alias).some((names) => names.includes(name));
}

/** The declared options by long and short name. */
export const optionNames = (line: Argv): readonly string[] => Object.keys(inside(line).getOptions().key);

/** The options of the current command. */
function knownOptions(line: Argv): KnownOptions {
  const { key, narg, alias } = inside(line).getOptions();
  return {
    names: Object.keys(key),
    valueCount: (name) => {
      const long = Object.keys(alias).find((one) => alias[one]?.includes(name)) ?? name;
      return narg[long] ?? 1;
    },
  };
}

/** Declares options to yargs. */
export function declareOptions<T>(line: Argv<T>, options: readonly Option[]): Argv<T> {
  for (const { name, short, form, help, value, heading, variable } of options) {
    const shownValue = value === undefined ? "" : ` [${value}]`;
    const shownVariable = variable === undefined ? "" : ` [env: ${variable}]`;
    line.option(name, {
      describe: `${help}${shownValue}${shownVariable}`,
      group: heading,
      type: form === "flag" ? "boolean" : "string",
      ...(form !== "flag" && { nargs: form === "pairs" ? 2 : 1 }),
      ...(short !== undefined && { alias: short }),
    });
  }
  return line;
}

/** `-ma.json` means `-m a.json`. yargs would read it as several flags. */
export function detachValues(words: readonly string[], options: readonly Option[]): readonly string[] {
  const taking = options.flatMap(({ short, form }) =>
    short !== undefined && form !== "flag" ? [short] : [],
  );
  const end = words.indexOf("--");
  return words.flatMap((word, index) => {
    const isOption = /^-[a-z][^=]/i.test(word) && (end === -1 || index < end);
    return isOption && taking.includes(word[1] ?? "") ? [word.slice(0, 2), word.slice(2)] : [word];
  });
}

/**
 * Joins these options and their values, so that values may begin with a dash: `--extra-options=--cors`.
 *
 * @param isValue false for a word that is the next option, because the value is missing
 */
export function tieValues(
  words: readonly string[],
  names: readonly string[],
  isValue: (word: string) => boolean = () => true,
): readonly string[] {
  const end = words.indexOf("--");
  const takes = (index: number): boolean =>
    (end === -1 || index < end) &&
    names.some((name) => words[index] === `--${name}`) &&
    index + 1 < words.length &&
    isValue(words[index + 1] ?? "");
  return words.flatMap((word, index) => {
    if (takes(index)) return [`${word}=${words[index + 1] ?? ""}`];
    return takes(index - 1) ? [] : [word];
  });
}

/** Before the dash of a word that is no option. A word of a command line cannot contain it. */
const NOT_AN_OPTION = "\0";

/**
 * The words without `--`, whose following words yargs does not pass to the parameters of a command. These are marked if
 * they begin with a dash, and so is each `-`, which yargs would parse as an empty text.
 */
export function withoutDoubleDash(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  const options = end === -1 ? words : words.slice(0, end);
  const others = end === -1 ? [] : words.slice(end + 1);
  return [
    ...options.map((word) => (word === "-" ? marked(word) : word)),
    ...others.map((word) => (word.startsWith("-") ? marked(word) : word)),
  ];
}

const marked = (word: string): string => `${NOT_AN_OPTION}${word}`;

/** Parsed values as the user wrote them. */
const writtenValues = (values: object): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, writtenValue(value)]));

function writtenValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(writtenValue);
  return typeof value === "string" && value.startsWith(NOT_AN_OPTION) ? value.slice(1) : value;
}

/** Joins random texts to their options. They may begin with a dash, which yargs would read as short options. */
export const tieRandomText = (words: readonly string[], names: readonly string[]): readonly string[] =>
  tieValues(words, names, (word) => !word.startsWith("--"));
