import { dirname, resolve } from "node:path";
import { StartupError, type Log } from "rowhouse/plugin-api";
import { argumentChoices, type Parsed } from "../arguments/arguments.js";
import { mergeChoices, type PartialChoices } from "../arguments/choices.js";
import { configFileChoices } from "./config-file.js";
import { configurationDirectory, directoryChoices, refuseOtherConfig } from "./directory-mode.js";
import { environmentChoices } from "./environment.js";
import { shownPath } from "./read-file.js";
import { findConfigFile, type ConfigFile } from "./find-config-file.js";

/** The choices of all sources combined. */
export interface Resolved {
  readonly choices: PartialChoices;
  /** The folder whose project's dependencies are searched for plugins. */
  readonly project: string;
  /** The configuration file, if there is one. */
  readonly configFile: string | null;
  /** The choices of each source, weakest first. */
  readonly sources: readonly Source[];
}

/** A source of choices. */
export interface Source {
  /** `rowhouse.yaml`, `the environment`, `the command line`. */
  readonly name: string;
  readonly choices: PartialChoices;
}

/**
 * Combines the sources: flags over environment over configuration file over directory.
 *
 * @throws StartupError for invalid values and unreadable files
 */
export async function resolveChoices(parsed: Parsed, log: Log): Promise<Resolved> {
  const folder = process.cwd();
  const flags = argumentChoices(parsed, folder, log);
  const environment = environmentChoices(process.env, folder);
  const directory = configurationDirectory(flags.files ?? []);
  const config =
    flags.noConfig === true ? null : await findConfigFile(directory?.path ?? folder, flags.config);
  const file = config === null ? {} : configFileChoices(config, log);
  const { files, ...otherFlags } = flags;
  const named = directory === null && files !== undefined ? { ...otherFlags, files } : otherFlags;
  if (directory !== null && config === null && flags.noConfig !== true) refuseOtherConfig(directory);
  const weakest = directory === null ? {} : directoryChoices(directory, { ...file, ...flags });
  const sources = [
    { name: `the directory ${directory?.shown ?? ""}`, choices: weakest },
    { name: config === null ? "" : shownPath(config.path), choices: file },
    { name: "the environment", choices: environment },
    { name: "the command line", choices: named },
  ];
  return {
    choices: sources.map(({ choices }) => choices).reduce(mergeChoices),
    sources,
    project: projectFolder(config, directory?.path ?? folder),
    configFile: config?.path ?? null,
  };
}

/**
 * As `resolveChoices`, for a server that has read a configuration file before. Without this file it would serve other
 * databases, and data that the file restricts.
 *
 * @throws StartupError also if there is no configuration file any more
 */
export async function resolveAgain(parsed: Parsed, configFile: string | null, log: Log): Promise<Resolved> {
  const resolved = await resolveChoices(parsed, log);
  if (configFile !== null && resolved.configFile === null)
    throw new StartupError(`The configuration file ${shownPath(configFile)} is missing or empty`);
  return resolved;
}

const projectFolder = (config: ConfigFile | null, folder: string): string =>
  config === null ? folder : dirname(resolve(config.path));
