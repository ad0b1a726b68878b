import type { SqlInput, Visit } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";

/** What is typed, and how many matches are wanted. */
export interface Question {
  readonly visit: Visit<"table">;
  readonly text: string;
  readonly size: number;
}

/** SQLite refuses patterns of more than 1,000 bytes, in which some characters need two or three. */
const MOST_CHARACTERS = 200;

/** The part of a typed text that is compared. */
export const typedText = (text: string): string => text.trim().slice(0, MOST_CHARACTERS);

/** Whether an expression begins with a text, or has a word that does, in SQL. */
export interface Pattern {
  readonly starts: string;
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** Both conditions for a text. `expression` may be any value: numbers are compared by their text. */
export function patternOf(dialect: Dialect, expression: string, text: string): Pattern {
  const starts = dialect.resembles(expression, "typed");
  const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
  return {
    starts,
    where: `(${starts} or ${dialect.resembles(expression, "typed_word")})`,
    params: { typed: `${escaped}%`, typed_word: `% ${escaped}%` },
  };
}
