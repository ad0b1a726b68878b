import { StartupError } from "rowhouse/plugin-api";

/** The form of an option: `--memory`, `--port 80`, `-i a.db -i b.db`, `--setting name value`. */
export type OptionForm = "flag" | "value" | "values" | "pairs";

/** The source of a value. Determines the folder of relative paths and the form of error messages. */
export interface Place {
  readonly folder: string;
  /** Throws a StartupError with the reason. */
  refuse(reason: string): never;
}

/**
 * One option of a command: its form, and the function that reads a raw value (text, or a value of a configuration
 * file).
 */
export interface Option<Value = unknown> {
  /** The long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  readonly form: OptionForm;
  /** The name of the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly heading: string;
  /** The environment variable with the same value. */
  readonly variable?: string;
  /** True for options that are not allowed in a configuration file. */
  readonly commandLineOnly?: boolean;
  read(raw: unknown, place: Place): Value;
}

/** The name of an option in messages: `'-p' / '--port'`. */
const shownOption = ({ name, short }: Pick<Option, "name" | "short">): string =>
  short === undefined ? `'--${name}'` : `'-${short}' / '--${name}'`;

const placeOf = (named: string, folder: string): Place => ({
  folder,
  refuse(reason) {
    throw new StartupError(`Invalid value for ${named}: ${reason}`, 2);
  },
});

/** A value of the command line. Relative paths start at the current folder. */
export const onCommandLine = (option: Pick<Option, "name" | "short">, folder: string): Place =>
  placeOf(shownOption(option), folder);

/** The arguments that name files. Relative paths start at the current folder. */
export const filesOnCommandLine = (folder: string): Place => placeOf("'[FILES]...'", folder);

/** A value in a file. Relative paths start at the folder of the file. */
export const inFile = (key: string, file: string, folder: string): Place =>
  placeOf(`'${key}' in ${file}`, folder);

/** A value of the environment. Relative paths start at the current folder. */
export const inEnvironment = (variable: string, option: Pick<Option, "name">, folder: string): Place =>
  placeOf(`${shownOption(option)} (environment variable ${variable})`, folder);
