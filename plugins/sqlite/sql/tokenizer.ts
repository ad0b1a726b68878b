import { meaningful, sqlTokens, unquote, type SqlToken, type SqlTokenKind } from "rowhouse/plugin-api/sql";

/** The kind of a token. `name` includes keywords; `quoted-name` is a name in `"..."`, `[...]` or backticks. */
export type TokenKind =
  | "name"
  | "quoted-name"
  | "string"
  | "number"
  | "parameter"
  | "semicolon"
  | "open"
  | "close"
  | "comma"
  | "symbol"
  | "illegal";

/** A token of SQL. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The tokens of SQL without spaces and comments. Tokens that SQLite rejects are `illegal`. */
export const tokenize = (sql: string): Token[] =>
  meaningful(sqlTokens(sql)).map((token) => ({
    kind: kindOf(token),
    start: token.start,
    end: token.end,
    text: token.text,
  }));

const kindOf = ({ kind, text, isValid }: SqlToken): TokenKind =>
  !isValid ? "illegal" : kind === "symbol" ? (SYMBOL_KINDS[text] ?? kind) : KINDS[kind];

const SYMBOL_KINDS: Readonly<Record<string, TokenKind>> = {
  ";": "semicolon",
  "(": "open",
  ")": "close",
  ",": "comma",
};

const KINDS: Readonly<Record<SqlTokenKind, TokenKind>> = {
  word: "name",
  name: "quoted-name",
  text: "string",
  blob: "string",
  number: "number",
  parameter: "parameter",
  symbol: "symbol",
  space: "symbol",
  comment: "symbol",
};

/** The name that a `name` or `quoted-name` token means. */
export const unquoteName = (token: Token): string =>
  token.kind === "quoted-name" ? unquote(token.text) : token.text;

/** Splits tokens at the commas outside of parentheses. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === "open") depth += 1;
    if (token.kind === "close") depth -= 1;
    if (token.kind === "comma" && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** The name that a token means. SQLite accepts a string literal in place of a name. */
export const identifierText = (token: Token): string =>
  token.kind === "string" ? unquote(token.text) : unquoteName(token);
