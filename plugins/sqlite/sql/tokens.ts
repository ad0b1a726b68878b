import { foldName } from "rowhouse/plugin-api/names";
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

/** A keyword, or a name without quotes, in lower case; empty for other tokens. */
export const wordOf = (token: Token | undefined): string =>
  token?.kind === "name" ? token.text.toLowerCase() : "";

/** The name that a token means. SQLite accepts a string literal in place of a name. */
export const identifierText = (token: Token): string =>
  token.kind === "string" ? unquote(token.text) : unquoteName(token);

/** The same, equal for names that mean the same table. */
export const foldedName = (token: Token): string => foldName(identifierText(token));

/** The places of the tokens outside of parentheses that match, in their order. */
export function placesAtTopLevel(
  tokens: readonly Token[],
  matches: (token: Token) => boolean,
): readonly number[] {
  const places: number[] = [];
  let depth = 0;
  for (const [place, token] of tokens.entries()) {
    if (token.kind === "open") depth += 1;
    if (token.kind === "close") depth -= 1;
    if (depth === 0 && matches(token)) places.push(place);
  }
  return places;
}

/** Splits tokens at the commas outside of parentheses. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const commas = placesAtTopLevel(tokens, ({ kind }) => kind === "comma");
  return [-1, ...commas].map((before, part) => tokens.slice(before + 1, commas[part]));
}
