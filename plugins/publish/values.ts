import { StartupError } from "rowhouse/plugin-api";

/** The values of options and arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Of an option given several times the last value counts; null where it was not given. */
export function valueOf(values: Values, name: string): string | null {
  const last = [values[name]].flat().at(-1);
  return last === undefined ? null : String(last);
}

/** Every value of an option that may be repeated. */
export const valuesOf = (values: Values, name: string): readonly string[] =>
  [values[name] ?? []].flat().map(String);

/** Was a flag given? */
export const isGiven = (values: Values, name: string): boolean => [values[name]].flat().at(-1) === true;

/** @throws StartupError (usage). @param option as messages name it: `'-p' / '--port'` */
export function refuseValue(option: string, reason: string): never {
  throw new StartupError(`Invalid value for ${option}: ${reason}`, 2);
}

/** A whole number within bounds, or null where the option was not given. @throws StartupError (usage) */
export function integerOf(
  values: Values,
  { name, shown = `'--${name}'`, least, most }: IntegerOption,
): number | null {
  const written = valueOf(values, name);
  if (written === null) return null;
  if (!/^[+-]?\d+$/.test(written)) return refuseValue(shown, `'${written}' is not a valid integer range.`);
  const number = Number(written);
  if (number >= least && number <= (most ?? Infinity)) return number;
  const range = most === undefined ? `x>=${least}` : `${least}<=x<=${most}`;
  return refuseValue(shown, `${number} is not in the range ${range}.`);
}

interface IntegerOption {
  readonly name: string;
  readonly shown?: string;
  readonly least: number;
  readonly most?: number;
}
