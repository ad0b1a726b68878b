import type { SqlToken } from "rowhouse/plugin-api";

/** The name that a token stands for: bare, or in any of SQL's quotes. */
export function nameOf({ text }: SqlToken): string {
  const quote = text.charAt(0);
  if (quote === "[") return text.slice(1, -1);
  if (quote !== '"' && quote !== "`" && quote !== "'") return text;
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** A bare word in upper case, as keywords are compared; empty for anything else. */
export const keywordOf = (token: SqlToken | undefined): string =>
  token?.kind === "word" ? token.text.toUpperCase() : "";

export const sameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** How deep in brackets each token stands; a bracket itself is as deep as what is around it. */
export function bracketDepths(tokens: readonly SqlToken[]): readonly number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (text === ")") depth -= 1;
    const here = depth;
    if (text === "(") depth += 1;
    return here;
  });
}

/** Cuts tokens before each place where `starts` is true; what stands before the first is left out. */
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

/** The piece of `sql` from the first of these tokens to the last, with whatever stands between them. */
export function textOf(sql: string, tokens: readonly SqlToken[]): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return "";
  return sql.slice(first.start, last.start + last.text.length);
}

/** Is `name` named anywhere among these tokens? */
export const mentionsName = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some((token) => (token.kind === "word" || token.kind === "name") && sameName(nameOf(token), name));
