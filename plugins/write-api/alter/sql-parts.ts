import { isSameName } from "rowhouse/plugin-api/names";
import { unquote, type SqlToken } from "rowhouse/plugin-api/sql";

/** The name in a token, without quotes. */
export const nameOf = ({ text }: SqlToken): string => unquote(text);

/** A bare word in upper case, for comparison with keywords; empty for other tokens. */
export const keywordOf = (token: SqlToken | undefined): string =>
  token?.kind === "word" ? token.text.toUpperCase() : "";

/** The nesting depth of each token; a bracket has the depth of the text around it. */
export function bracketDepths(tokens: readonly SqlToken[]): readonly number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (text === ")") depth -= 1;
    const here = depth;
    if (text === "(") depth += 1;
    return here;
  });
}

/** Splits tokens before each index where `starts` is true. Tokens before the first such index are dropped. */
export function splitBefore(
  tokens: readonly SqlToken[],
  starts: (index: number) => boolean,
): readonly (readonly SqlToken[])[] {
  const parts: SqlToken[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (starts(index)) parts.push([]);
    parts.at(-1)?.push(token);
  }
  return parts;
}

/** The text of `sql` from the first of these tokens to the last. */
export function textOf(sql: string, tokens: readonly SqlToken[]): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return "";
  return sql.slice(first.start, last.start + last.text.length);
}

/** Is one of these tokens the name `name`? */
export const mentionsName = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some((token) => (token.kind === "word" || token.kind === "name") && isSameName(nameOf(token), name));
