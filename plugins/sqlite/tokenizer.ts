/** What a piece of SQL is. `name` includes keywords; `quoted-name` stands in `"…"`, `[…]` or backticks. */
export type TokenKind =
  | "space"
  | "comment"
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

/** A piece of SQL; `text` is exactly what stood there. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Cuts SQL the way SQLite's own tokenizer does, in one pass. Never fails: what SQLite would not recognise
 * (an unclosed quote, a NUL, a stray character) comes out as `illegal`.
 */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  let start = 0;
  while (start < sql.length) {
    const [kind, end] = nextToken(sql, start);
    tokens.push({ kind, start, end, text: sql.slice(start, end) });
    start = end;
  }
  return tokens;
}

type Cut = readonly [kind: TokenKind, end: number];

function nextToken(sql: string, start: number): Cut {
  const character = sql.charAt(start);
  if (isSpace(character)) return ["space", skip(sql, start + 1, isInnerSpace)];
  if (isNameStart(character)) return nameOrBlob(sql, start);
  if (isDigit(character)) return number(sql, start);
  switch (character) {
    case "'":
      return closed("string", sql, start, "'");
    case '"':
    case "`":
      return closed("quoted-name", sql, start, character);
    case "[":
      return bracketed(sql, start);
    case "-":
      return sql.startsWith("--", start) ? ["comment", lineEnd(sql, start)] : ["symbol", start + 1];
    case "/":
      return sql.startsWith("/*", start) ? ["comment", blockEnd(sql, start)] : ["symbol", start + 1];
    case ".":
      return isDigit(sql.charAt(start + 1)) ? number(sql, start) : ["symbol", start + 1];
    case "?":
      return ["parameter", skip(sql, start + 1, isDigit)];
    case ":":
    case "@":
    case "$":
    case "#":
      return parameter(sql, start);
    case ";":
      return ["semicolon", start + 1];
    case "(":
      return ["open", start + 1];
    case ")":
      return ["close", start + 1];
    case ",":
      return ["comma", start + 1];
    default:
      return ["*+%=<>!|&~".includes(character) ? "symbol" : "illegal", start + 1];
  }
}

const BYTE_ORDER_MARK = "\ufeff";

// A vertical tab only counts as space behind another space; a byte order mark is space where a token starts.
const isSpace = (character: string): boolean =>
  " \t\n\f\r".includes(character) || character === BYTE_ORDER_MARK;
const isInnerSpace = (character: string): boolean => " \t\n\v\f\r".includes(character);
const isDigit = (character: string): boolean => character >= "0" && character <= "9";
const isNameStart = (character: string): boolean =>
  (character >= "a" && character <= "z") ||
  (character >= "A" && character <= "Z") ||
  character === "_" ||
  character > "\u007f";
const isNamePart = (character: string): boolean =>
  isNameStart(character) || isDigit(character) || character === "$";

function skip(sql: string, from: number, belongs: (character: string) => boolean): number {
  let end = from;
  while (end < sql.length && belongs(sql.charAt(end))) end += 1;
  return end;
}

function nameOrBlob(sql: string, start: number): Cut {
  const isBlob = (sql[start] === "x" || sql[start] === "X") && sql[start + 1] === "'";
  return isBlob ? closed("string", sql, start + 1, "'") : ["name", skip(sql, start + 1, isNamePart)];
}

/** Digits, point, exponent, `0x…` and `1_000`; letters that follow directly make it illegal. */
function number(sql: string, start: number): Cut {
  const digits = (from: number): number => skip(sql, from, (c) => isDigit(c) || c === "_");
  if (sql[start] === "0" && (sql[start + 1] === "x" || sql[start + 1] === "X")) {
    return ["number", skip(sql, start + 2, isNamePart)];
  }
  let end = digits(start);
  if (sql[end] === ".") end = digits(end + 1);
  const exponent = /[eE][+-]?[0-9]/y;
  exponent.lastIndex = end;
  if (exponent.test(sql)) end = digits(exponent.lastIndex);
  const rest = skip(sql, end, isNamePart);
  return [rest === end ? "number" : "illegal", rest];
}

function closed(kind: TokenKind, sql: string, start: number, quote: string): Cut {
  let from = start + 1;
  for (;;) {
    const end = sql.indexOf(quote, from);
    if (end === -1) return ["illegal", sql.length];
    if (sql[end + 1] !== quote) return [kind, end + 1];
    from = end + 2;
  }
}

function bracketed(sql: string, start: number): Cut {
  const end = sql.indexOf("]", start);
  return end === -1 ? ["illegal", sql.length] : ["quoted-name", end + 1];
}

function lineEnd(sql: string, start: number): number {
  const end = sql.indexOf("\n", start);
  return end === -1 ? sql.length : end + 1;
}

// SQLite accepts a block comment that is never closed.
function blockEnd(sql: string, start: number): number {
  const end = sql.indexOf("*/", start + 2);
  return end === -1 ? sql.length : end + 2;
}

/** `:name`, `@name`, `$name`, with the additions SQLite takes over from Tcl: `$a::b(c)`. */
function parameter(sql: string, start: number): Cut {
  let end = start + 1;
  let letters = 0;
  for (; end < sql.length; end += 1) {
    const character = sql.charAt(end);
    if (isNamePart(character)) letters += 1;
    else if (character === ":" && sql[end + 1] === ":") end += 1;
    else break;
  }
  if (letters === 0) return ["illegal", end];
  if (sql[end] !== "(") return ["parameter", end];
  const close = skip(sql, end + 1, (character) => character !== ")" && !isInnerSpace(character));
  return sql[close] === ")" ? ["parameter", close + 1] : ["illegal", close];
}

/** The name a `name` or `quoted-name` token stands for. */
export function nameOf(token: Token): string {
  if (token.kind !== "quoted-name") return token.text;
  const inner = token.text.slice(1, -1);
  const quote = token.text.charAt(0);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}
