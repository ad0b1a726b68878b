import type { Options as YargsOptions } from "yargs";
import type { Awaitable } from "../kernel/hook-results.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";

/** A place to publish to: `rowhouse publish NAME [FILES]...`. */
export interface PublishTarget {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** One line for the list of targets. */
  readonly describe: string;
  /** Further options, in the format of yargs. */
  readonly options?: Readonly<Record<string, YargsOptions>>;
  /**
   * Publishes the bundle.
   *
   * @param values values of all options by name
   * @throws StartupError to end the command with a message: exit code 1, or 2 for wrong usage
   */
  readonly handler: (bundle: Bundle, values: never) => Awaitable<void>;
}

/**
 * A site that can be started elsewhere: databases, metadata, templates, plugins and static files, with a
 * `package.json` that depends on Rowhouse and a `Dockerfile`.
 */
export interface Bundle {
  /** Environment variables of the published server: `ROWHOUSE_SECRET` and secrets of plugins. No file contains them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** True if `ROWHOUSE_SECRET` is new: tokens and cookies of an earlier publication are not valid. */
  readonly secretIsNew: boolean;
  /** The site needs SpatiaLite. */
  readonly spatialite: boolean;
  /** The arguments of `rowhouse inspect`, run in the folder when the site is built; null without databases. */
  readonly inspect: readonly string[] | null;
  /** The arguments of `rowhouse serve`, run in the folder, without the port. */
  readonly serve: readonly string[];
  /** The text of generated files by path. */
  readonly generated: Readonly<Record<string, string>>;
  /** A copy with changes. */
  with(changes: BundleChanges): Bundle;
  /** Writes the files into a folder, which is created if it does not exist. @throws StartupError on failure */
  write(folder: string): Promise<void>;
  /** Writes the files into a temporary folder that only its owner can read. It is deleted after `use`. */
  inFolder(use: (folder: string) => Awaitable<void>): Promise<void>;
}

/** Changes that a target makes to a bundle. */
export interface BundleChanges {
  /** Settings of the server. `--extra-options` win over them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further Debian packages for the image. */
  readonly aptPackages?: readonly string[];
  /** The default port in the image; the variable `PORT` overrides it. */
  readonly port?: number;
  /** Files by path that are added or replaced; null removes a generated file. */
  readonly files?: Readonly<Record<string, string | null>>;
}

/** A program on this machine. It is run without a shell, so arguments need no quotes. */
export interface Tool {
  /** Runs it with the input and output of the terminal. @throws StartupError if it fails */
  run(words: readonly string[], options?: ToolOptions): Promise<void>;
  /** Runs it and resolves to its standard output. @throws StartupError if it fails */
  read(words: readonly string[], options?: ToolOptions): Promise<string>;
}

/** Options of a run. */
export interface ToolOptions {
  /** The working directory. */
  readonly folder?: string;
  /** Its standard input. Use it for secrets: other users of the machine can read arguments. */
  readonly input?: string;
}

/** Registers targets of `rowhouse publish`. */
export interface Publish {
  /**
   * Adds a target. The first target of a name is used; installed plugins come before bundled ones.
   *
   * @throws Error for an invalid target
   */
  target(target: PublishTarget): void;
  /** Finds a program; call it while publishing. @throws StartupError with the message `missing` if it is not installed */
  tool(program: string, missing: string): Tool;
}

/** The hooks of the plugin that owns this contract. */
export const publishHooks = defineHooks({
  /** When the command line starts: targets of `rowhouse publish`. */
  publish_subcommand: hook.notify<{ readonly publish: Publish }>({ atStart: true, affects: "nothing" }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof publishHooks> {}
}
