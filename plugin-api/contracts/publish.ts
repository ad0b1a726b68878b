import type { Options as YargsOptions } from "yargs";
import type { Awaitable, Notify } from "../hooks.js";

/** A place to publish to: `rowhouse publish NAME [FILES]...`. */
export interface PublishTarget {
  /** The word it is called by: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** One line for the list of targets. */
  readonly describe: string;
  /** Options of its own, in yargs' form, beside those that all targets share. */
  readonly options?: Readonly<Record<string, YargsOptions>>;
  /**
   * Publishes the bundle. `values` are those of all options by name, the target's own and the shared ones. Throw
   * `StartupError` for what is to be said without more ado: exit code 1, or 2 for wrong usage.
   */
  readonly handler: (bundle: Bundle, values: never) => Awaitable<void>;
}

/**
 * A site, ready to be started elsewhere: databases, metadata, templates, plugins and static files, with a
 * `package.json` that depends on Rowhouse and a `Dockerfile`.
 */
export interface Bundle {
  /** For the environment of the server over there: `ROWHOUSE_SECRET` and plugins' secrets. They are in no file. */
  readonly secrets: Readonly<Record<string, string>>;
  /** `ROWHOUSE_SECRET` was made up for this bundle, so tokens and cookies of an earlier one end. */
  readonly secretIsNew: boolean;
  /** SpatiaLite is wanted. */
  readonly spatialite: boolean;
  /** The arguments of `rowhouse inspect`, run in the folder when the site is built; null without databases. */
  readonly inspect: readonly string[] | null;
  /** The arguments of `rowhouse serve`, run in the folder: all but the port, which the place decides. */
  readonly serve: readonly string[];
  /** The text of each file that is made rather than copied, by path. */
  readonly generated: Readonly<Record<string, string>>;
  /** The same site with something changed. */
  with(changes: BundleChanges): Bundle;
  /** Writes all of it into a folder, which is made where there is none. @throws StartupError where it can't */
  write(folder: string): Promise<void>;
  /** Writes all of it into a temporary folder that only its owner can read, and that goes away after `use`. */
  inFolder(use: (folder: string) => Awaitable<void>): Promise<void>;
}

/** What a target does differently. */
export interface BundleChanges {
  /** Settings the place needs; what people say in `--extra-options` wins over them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Debian packages that the image is to have. */
  readonly aptPackages?: readonly string[];
  /** Where the server listens in the image, unless `PORT` says otherwise. */
  readonly port?: number;
  /** Further files by path, or others in place of the generated ones; null leaves one out. */
  readonly files?: Readonly<Record<string, string | null>>;
}

/** A program on this machine. It is run without a shell: words reach it as they are. */
export interface Tool {
  /** Runs it with this terminal's input and output. @throws StartupError when it fails */
  run(words: readonly string[], options?: ToolOptions): Promise<void>;
  /** Runs it and brings what it writes to standard output. @throws StartupError when it fails */
  read(words: readonly string[], options?: ToolOptions): Promise<string>;
}

/** How a program is run. */
export interface ToolOptions {
  /** The folder it is run in. */
  readonly folder?: string;
  /** What it reads from its standard input: the way for secrets, which arguments would show to everybody. */
  readonly input?: string;
}

/** What a plugin adds its target to. */
export interface Publish {
  /**
   * Adds a target. A name that is taken stays with whoever came first, and third parties come before the bundled
   * plugins.
   *
   * @throws Error for a target that is none
   */
  target(target: PublishTarget): void;
  /** A program by name; asked for while publishing. @throws StartupError with `missing` where it is not installed */
  tool(program: string, missing: string): Tool;
}

declare module "../hooks.js" {
  interface HookTable {
    /** When the command line is built: where `rowhouse publish` can publish to. */
    publish_subcommand: Notify<{ readonly publish: Publish }>;
  }
}
