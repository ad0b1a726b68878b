import { meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";
import type { CarriedType } from "./carried-value.js";

/** Keywords, functions and characters of operators that all engines read in the same way. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "and or not is null in between case when then else end true false".split(" "),
);
const FUNCTIONS: ReadonlySet<string> = new Set(
  "abs coalesce length lower nullif replace trim upper".split(" "),
);
const SYMBOLS: ReadonlySet<string> = new Set("( ) , + - * / % = ! < > |".split(" "));

/** The columns of the table in the target, and how their names are quoted there. */
export interface TargetColumns {
  readonly types: ReadonlyMap<string, CarriedType>;
  readonly quote: (name: string) => string;
}

/** Columns with values that may have another type in the source. */
export interface ConvertedColumns extends TargetColumns {
  readonly converted: ReadonlySet<string>;
}

/** An expression in SQL that every engine reads in the same way; null if it has parts that are not known to be so. */
export function portableExpression(tokens: readonly SqlToken[], columns: TargetColumns): string | null {
  const own = withoutTextCasts(withFloats(withLists(tokens)));
  let sql = "";
  for (const [index, token] of own.entries()) {
    const text = portableToken(token, own, index, columns);
    if (text === null) return null;
    const before = own[index - 1];
    const isOneOperator = before?.kind === "symbol" && token.kind === "symbol" && before.end === token.start;
    sql += isOneOperator || sql === "" ? text : ` ${text}`;
  }
  return sql;
}

/**
 * True if no engine computes other values. `upper` and `lower` of SQLite change ASCII only, and a quotient of integers in
 * a column of all numbers is exact in PostgreSQL.
 */
export const isComputedEqually = (tokens: readonly SqlToken[], columns: ConvertedColumns): boolean =>
  tokens.every(({ kind, text }) => text !== "/" && (kind !== "word" || !/^(?:upper|lower)$/i.test(text))) &&
  tokens.every((token) => isEquallyUsed(token, tokens, columns)) &&
  tokens.every((_, index) => !isOrder(tokens, index) || isOrderOfNumbers(tokens, index, columns));

/** True for an operator that compares by order, which `<>` does not. */
function isOrder(all: readonly SqlToken[], index: number): boolean {
  const [before, token, after] = [all[index - 1], all[index], all[index + 1]];
  if (token?.kind === "word") return /^between$/i.test(token.text);
  return (token?.text === "<" && after?.text !== ">") || (token?.text === ">" && before?.text !== "<");
}

/** False if the operator may compare texts: SQLite orders them by their bytes, PostgreSQL as a language does. */
function isOrderOfNumbers(all: readonly SqlToken[], index: number, { types }: TargetColumns): boolean {
  const operands = [all[index - 1], all[all[index + 1]?.text === "=" ? index + 2 : index + 1]];
  const kinds = operands.map((token) => {
    const name = token === undefined || token.kind === "text" ? undefined : columnName(token, types);
    return name === undefined ? token?.kind : types.get(name);
  });
  return !kinds.includes("text") && kinds.some((kind) => NUMBERS.has(kind ?? ""));
}

/** Kinds of literals and types of columns. */
const NUMBERS: ReadonlySet<string> = new Set(["integer", "float", "number"]);

/**
 * False for a column whose values another engine uses in another way. Numbers have another text in each engine, `5.0` or
 * `5`, and decimals are exact in PostgreSQL: `3 * 0.1` is 0.3.
 */
function isEquallyUsed(
  token: SqlToken,
  all: readonly SqlToken[],
  { types, converted }: ConvertedColumns,
): boolean {
  const name = token.kind === "text" ? undefined : columnName(token, types);
  if (name === undefined) return true;
  if (converted.has(name)) return false;
  const has = (pattern: RegExp): boolean => all.some(({ text }) => pattern.test(text));
  const type = types.get(name);
  if (type === "float") return !has(/^\|$/);
  if (type === "number") return !has(/^[|+*%-]$/);
  return type !== "integer" || !has(/^\d*(?:\.|\d[.e])/i);
}

/** PostgreSQL shows `a in (1, 2)` as `a = ANY (ARRAY[1, 2])`. The square brackets are read as those of a name. */
function withLists(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const start = tokens.findIndex((_, index) =>
    /^= any \( array \[.*\] \)$/is.test(textOf(tokens.slice(index, index + 6))),
  );
  const [equals, , open, , list, close] = tokens.slice(start, start + 6);
  if (start === -1 || !equals || !open || !list || !close) return tokens;
  const inside = meaningful(sqlTokens(list.text.slice(1, -1)));
  const word: SqlToken = { ...equals, kind: "word", text: "in" };
  return [...tokens.slice(0, start), word, open, ...inside, close, ...withLists(tokens.slice(start + 6))];
}

/** The tokens with spaces between them. */
export const textOf = (tokens: readonly SqlToken[]): string => tokens.map(({ text }) => text).join(" ");

/** PostgreSQL shows text literals as `'a'::text`, and some numbers as `1::numeric`. */
export function withoutTextCasts(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const isCast = (index: number): boolean => {
    const [value, colon, type] = tokens.slice(index - 1, index + 2);
    if (colon?.text !== ":") return false;
    return type?.text === ":text" || (value?.kind === "number" && type?.text === ":numeric");
  };
  return tokens.filter((_, index) => !isCast(index) && !isCast(index - 1));
}

/** PostgreSQL shows a number beside a column of floating-point numbers as `0::double precision`. */
function withFloats(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const isFloat = (index: number): boolean =>
    tokens[index]?.kind === "number" &&
    /^: :double precision$/i.test(textOf(tokens.slice(index + 1, index + 4)));
  return tokens.flatMap((token, index) => {
    if (isFloat(index)) return { ...token, text: /^\d+$/.test(token.text) ? `${token.text}.0` : token.text };
    return [1, 2, 3].some((before) => isFloat(index - before)) ? [] : token;
  });
}

function portableToken(
  { kind, text }: SqlToken,
  all: readonly SqlToken[],
  index: number,
  { types, quote }: TargetColumns,
): string | null {
  if (kind === "number" || kind === "text") return text;
  if (kind === "symbol") return SYMBOLS.has(text) ? text : null;
  if (kind !== "word" && kind !== "name") return null;
  const [before, after] = [all[index - 1]?.text, all[index + 1]?.text];
  const word = text.toLowerCase();
  if (kind === "word" && (KEYWORDS.has(word) || (after === "(" && FUNCTIONS.has(word)))) return word;
  const name = columnName({ text }, types);
  if (name === undefined) return null;
  // PostgreSQL joins texts only, at least in expressions that are always the same.
  const isJoined = (before === "|" || after === "|") && types.get(name) !== "text";
  return isJoined ? `cast(${quote(name)} as text)` : quote(name);
}

const columnName = ({ text }: Pick<SqlToken, "text">, types: TargetColumns["types"]): string | undefined =>
  [...types.keys()].find((one) => one.toLowerCase() === unquote(text).toLowerCase());
