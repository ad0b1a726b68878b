import type { SqlInput } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";

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
