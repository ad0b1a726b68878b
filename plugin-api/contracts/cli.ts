import type { Awaitable, Collect } from "../hooks.js";
import type { Argv, Options as YargsOptions } from "yargs";

/**
 * A command of `rowhouse`, in yargs' own form. A handler that throws `StartupError` ends the process with its
 * `exitCode`: 1 prints `Error: <message>`, 2 (wrong usage) prints the command's usage above it.
 */
export interface Command {
  /** The word and the arguments: `create-token <id>`, `inspect [files..]`. */
  readonly command: string;
  /** One line for the overview. */
  readonly describe: string;
  readonly builder?: Readonly<Record<string, YargsOptions>> | ((yargs: Argv<object>) => unknown);
  /** Options whose value may begin with a dash, by long name: `--extra-options "--cors"`. */
  readonly dashedValues?: readonly string[];
  /** Given the values of arguments and options, by name. */
  readonly handler: (values: never) => Awaitable<void>;
}

/** Commands under one word, as `rowhouse publish heroku` is; the word alone prints their list. */
export interface CommandGroup {
  /** The word. */
  readonly command: string;
  /** One line for the overview. */
  readonly describe: string;
  readonly commands: readonly Command[];
}

/** What the command line knows beside the command's own arguments. */
export interface CommandLine {
  /**
   * A secret was given by `--secret`, `ROWHOUSE_SECRET` or the configuration file, and `sign()` uses it.
   * Otherwise `sign()` uses a random one, which dies with this process.
   */
  readonly secretGiven: boolean;
}

declare module "../hooks.js" {
  interface HookTable {
    /**
     * When the command line is built. `rowhouse` is then open without any database: permissions are registered,
     * `sign()` works, `startup` has not run. `--secret`, `--internal`, `--plugins-dir`, `--config` and `--no-config` are read
     * by `rowhouse` itself and are options of every such command; no need to declare them.
     */
    register_commands: Collect<Readonly<Record<never, never>>, Command | CommandGroup>;
  }
}

declare module "../rowhouse.js" {
  interface Options {
    /** Only where a command runs, not in a server. */
    commandLine: CommandLine;
  }
}
