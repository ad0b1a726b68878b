import type { Awaitable } from "../kernel/hook-results.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import type { MetadataBlock } from "./metadata.js";
import type { Argv, Options as YargsOptions } from "yargs";

/**
 * A command of `rowhouse`, in yargs' own form. A handler that throws `StartupError` ends the process with its
 * `exitCode`: 1 prints `Error: <message>`, 2 (wrong usage) prints the command's usage above it.
 */
export interface Command {
  /** The name and the arguments: `create-token <id>`, `inspect [files..]`. */
  readonly command: string;
  /** One line for the overview. */
  readonly describe: string;
  readonly builder?: Readonly<Record<string, YargsOptions>> | ((yargs: Argv<object>) => unknown);
  /** Options whose value may begin with a dash, by long name: `--extra-options "--cors"`. */
  readonly dashedValues?: readonly string[];
  /** Called with the values of arguments and options by name. */
  readonly handler: (values: never) => Awaitable<void>;
}

/** A group of commands such as `rowhouse publish heroku`. Without a command, the group prints its list. */
export interface CommandGroup {
  /** The name of the group. */
  readonly command: string;
  /** One line for the overview. */
  readonly describe: string;
  readonly commands: readonly Command[];
}

/** Facts about the command line for commands of plugins. */
export interface CommandLine {
  /**
   * True if `--secret`, `ROWHOUSE_SECRET` or the configuration file gives a secret. Otherwise `sign()` uses a random one
   * that is lost when the process ends.
   */
  readonly secretGiven: boolean;
  /** Why the secret can be guessed; null if it can't. Never contains the secret. */
  readonly secretProblem?: string | null;
  /**
   * The metadata of the configuration, over that of a file. A command has no other metadata, so that mistakes in it stop
   * no command that needs none.
   *
   * @throws StartupError if it can't be read
   */
  readMetadata?(path?: string): Promise<MetadataBlock>;
  /** The absolute paths of the SQLite files of the configuration, also of immutable ones. */
  readonly configuredFiles?: readonly string[];
  /** Those of them that are immutable. */
  readonly immutableFiles?: readonly string[];
}

/**
 * A word of a command that users run, quoted for a POSIX shell if it needs quotes.
 *
 * @example
 * `sqlite3 ${shellWord("my books.db")}`; // "sqlite3 'my books.db'"
 */
export const shellWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function isCommand(answer: unknown): boolean {
  const { command, commands, handler } = Object(answer) as Readonly<Record<string, unknown>>;
  if (typeof command !== "string" || !/^\w/.test(command)) return false;
  return Array.isArray(commands) ? commands.every(isCommand) : typeof handler === "function";
}

/** The hooks of the plugin that owns this contract. */
export const commandHooks = defineHooks({
  /**
   * When the command line starts: commands of a plugin. `rowhouse` has no databases then: permissions are registered
   * and `sign()` works, but `startup` is not fired. Every command has the options `--secret`, `--internal`,
   * `--plugins-dir`, `--config` and `--no-config` without declaring them.
   */
  register_commands: hook.collect<Nothing, Command | CommandGroup>({
    affects: "nothing",
    expects: {
      what: "a command with command and handler, or a group with command and commands",
      is: isCommand,
    },
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof commandHooks> {}
}

declare module "../kernel/rowhouse.js" {
  interface Options {
    /** Only in commands, not in a server. */
    commandLine: CommandLine;
  }
}
