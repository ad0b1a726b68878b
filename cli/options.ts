import { StartupError } from "rowhouse/plugin-api";

/** How an option is written: `--memory`, `--port 80`, `-i a.db -i b.db`, `--setting name value`. */
export type OptionForm = "flag" | "value" | "values" | "pairs";

/** Where a value was written: decides what relative paths start from and what a complaint looks like. */
export interface Place {
  readonly folder: string;
  /** Ends the start, saying what is wrong with the value. */
  refuse(reason: string): never;
}

/** One option of a command: its looks, and how a raw value (text, or a value of a configuration file) is read. */
export interface Option<Value = unknown> {
  /** The long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  readonly form: OptionForm;
  /** What the help calls the value. */
  readonly value?: string;
  readonly help: string;
  readonly heading: string;
  /** The environment variable that gives the same value. */
  readonly variable?: string;
  /** Only of the command line: makes no sense in a configuration file. */
  readonly commandLineOnly?: boolean;
  read(raw: unknown, place: Place): Value;
}

/** An option as messages name it: `'-p' / '--port'`. */
export const shownOption = ({ name, short }: Pick<Option, "name" | "short">): string =>
  short === undefined ? `'--${name}'` : `'-${short}' / '--${name}'`;

/** A value on the command line; relative paths start at the current folder. */
export const onCommandLine = (option: Pick<Option, "name" | "short">, folder: string): Place => ({
  folder,
  refuse(reason) {
    throw new StartupError(`Invalid value for ${shownOption(option)}: ${reason}`, 2);
  },
});

/** A value in a file; relative paths start at the file's folder. */
export const inFile = (key: string, file: string, folder: string): Place => ({
  folder,
  refuse(reason) {
    throw new StartupError(`Invalid value for '${key}' in ${file}: ${reason}`, 2);
  },
});

/** A value of the environment in place of an option; relative paths start at the current folder. */
export const inEnvironment = (variable: string, option: Pick<Option, "name">, folder: string): Place => ({
  folder,
  refuse(reason) {
    const named = `${shownOption(option)} (environment variable ${variable})`;
    throw new StartupError(`Invalid value for ${named}: ${reason}`, 2);
  },
});
