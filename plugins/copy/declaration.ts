import type { Table } from "rowhouse/plugin-api";
import { isWord, meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";

/** What the CREATE TABLE statement of a table says besides its schema. */
export interface Declaration {
  /** The expressions of CHECK constraints. */
  readonly checks: readonly Expression[];
  /** The expressions of generated columns, by name of the column. */
  readonly generated: ReadonlyMap<string, Expression>;
  /** The text of each column and constraint, without what is in brackets. */
  readonly parts: readonly string[];
  /** What follows the name of each column, without what is in brackets, by name of the column. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The tokens of an expression, without the brackets around it. */
export type Expression = readonly SqlToken[];

/** Reads the CREATE TABLE statement of a table. */
export function declarationOf({ sql, columns }: Table): Declaration {
  const tokens = meaningful(sqlTokens(sql ?? ""));
  const open = tokens.findIndex((token) => token.text === "(");
  const checks: Expression[] = [];
  const generated = new Map<string, Expression>();
  const texts = new Map<string, string>();
  const parts = partsOf(tokens.slice(open + 1, closingOf(tokens, open)));
  for (const part of parts) {
    checks.push(...bracketsAfter(part, "check"));
    const column = columns.find(({ name }) => name === unquote(part[0]?.text ?? ""));
    if (column === undefined) continue;
    texts.set(column.name, outsideBrackets(part.slice(1)));
    const [expression] = bracketsAfter(part, "as");
    if (column.generated !== "no" && expression !== undefined) generated.set(column.name, expression);
  }
  return { checks, generated, texts, parts: parts.map(outsideBrackets) };
}

function outsideBrackets(tokens: readonly SqlToken[]): string {
  let depth = 0;
  const outside = tokens.filter(({ text }) => {
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    return depth === 0 && text !== "(" && text !== ")";
  });
  return outside.map(({ text }) => text).join(" ");
}

/** The index of the bracket that closes another one. */
export function closingOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const text = tokens[at]?.text;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Splits at commas outside of brackets. */
export function partsOf(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const parts: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
    if (token.text === "," && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** What is in the brackets that follow a keyword. */
function bracketsAfter(tokens: readonly SqlToken[], keyword: string): readonly Expression[] {
  return tokens.flatMap((token, index) => {
    if (!isWord(token, keyword) || tokens[index + 1]?.text !== "(") return [];
    return [tokens.slice(index + 2, closingOf(tokens, index + 1))];
  });
}
