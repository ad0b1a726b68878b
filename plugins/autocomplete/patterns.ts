import type { SqlInput } from "rowhouse/plugin-api";

/** Whether an expression begins with a text, or has a word that does, in SQL. Without regard to case, for A to Z. */
export interface Pattern {
  readonly starts: string;
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** The SQL of SQLite for both. `expression` may be any value: numbers are compared by their text. */
export function patternOf(expression: string, text: string): Pattern {
  const starts = `${expression} like :typed escape '\\'`;
  const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
  return {
    starts,
    where: `(${starts} or ${expression} like :typed_word escape '\\')`,
    params: { typed: `${escaped}%`, typed_word: `% ${escaped}%` },
  };
}
