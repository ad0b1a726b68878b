/** The kind of a token. `name` includes keywords; `quoted-name` is enclosed in `"..."`, `[...]` or backticks. */
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

/** A token of SQL. */
export class Token {
  constructor(
    private readonly source: string,
    readonly kind: TokenKind,
    readonly start: number,
    readonly end: number,
  ) {}

  /** The text of the token in the SQL. */
  get text(): string {
    return this.source.slice(this.start, this.end);
  }
}

/**
 * Tokenizes SQL like SQLite, in one pass, without spaces and comments. It never fails: what SQLite does not recognise
 * (an unclosed quote, a NUL, an unknown character) becomes an `illegal` token.
 */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  const scanner = new Scanner(sql);
  for (let start = 0; start < sql.length; start = scanner.end) {
    const kind = scanner.scan(start);
    if (kind !== "space" && kind !== "comment") tokens.push(new Token(sql, kind, start, scanner.end));
  }
  return tokens;
}

const SPACES = " \t\n\f\r";
// A vertical tab is a space only after another space; a byte order mark only at the start of a token.
const INNER_SPACES = `${SPACES}\v`;
const BYTE_ORDER_MARK = "\ufeff";

const isInnerSpace = (character: string): boolean => character !== "" && INNER_SPACES.includes(character);
const isDigit = (character: string): boolean => character >= "0" && character <= "9";
const isDigitPart = (character: string): boolean => isDigit(character) || character === "_";
const isNameStart = (character: string): boolean =>
  (character >= "a" && character <= "z") ||
  (character >= "A" && character <= "Z") ||
  character === "_" ||
  character > "\u007f";
const isNamePart = (character: string): boolean =>
  isNameStart(character) || isDigit(character) || character === "$";

/** Tokens of one character. */
const SINGLE: Readonly<Record<string, TokenKind>> = {
  ";": "semicolon",
  "(": "open",
  ")": "close",
  ",": "comma",
  ...Object.fromEntries([..."*+%=<>!|&~-/."].map((symbol) => [symbol, "symbol"])),
};

class Scanner {
  /** The end of the latest token. */
  end = 0;

  constructor(private readonly sql: string) {}

  /** The kind of the token that begins at `start`. */
  scan(start: number): TokenKind {
    const { sql } = this;
    const character = sql.charAt(start);
    this.end = start + 1;
    if (SPACES.includes(character) || character === BYTE_ORDER_MARK) return this.#to("space", isInnerSpace);
    if (isNameStart(character)) return this.#nameOrBlob(start);
    if (isDigit(character) || (character === "." && isDigit(sql.charAt(start + 1))))
      return this.#number(start);
    switch (character) {
      case "'":
        return this.#closed("string", character);
      case '"':
      case "`":
        return this.#closed("quoted-name", character);
      case "[":
        return this.#until("quoted-name", "]", "illegal");
      case "?":
        return this.#to("parameter", isDigit);
      case ":":
      case "@":
      case "$":
      case "#":
        return this.#parameter();
    }
    if (sql.startsWith("--", start)) return this.#until("comment", "\n", "comment");
    if (sql.startsWith("/*", start)) return this.#blockComment();
    return SINGLE[character] ?? "illegal";
  }

  /** Extends the token by all characters that belong to it. */
  #to(kind: TokenKind, belongs: (character: string) => boolean): TokenKind {
    while (this.end < this.sql.length && belongs(this.sql.charAt(this.end))) this.end += 1;
    return kind;
  }

  /** Extends the token up to and including `last`. Without `last` it extends to the end of the text and is `unclosed`. */
  #until(kind: TokenKind, last: string, unclosed: TokenKind): TokenKind {
    const at = this.sql.indexOf(last, this.end);
    this.end = at === -1 ? this.sql.length : at + last.length;
    return at === -1 ? unclosed : kind;
  }

  #closed(kind: TokenKind, quote: string): TokenKind {
    while (this.#until(kind, quote, "illegal") === kind) {
      if (this.sql[this.end] !== quote) return kind;
      this.end += 1;
    }
    return "illegal";
  }

  // SQLite accepts a block comment that is not closed.
  #blockComment(): TokenKind {
    this.end += 1;
    return this.#until("comment", "*/", "comment");
  }

  #nameOrBlob(start: number): TokenKind {
    const isBlob = (this.sql[start] === "x" || this.sql[start] === "X") && this.sql[start + 1] === "'";
    if (!isBlob) return this.#to("name", isNamePart);
    this.end += 1;
    return this.#closed("string", "'");
  }

  /** Digits, point, exponent, `0x...` and `1_000`. A letter directly after it makes the token illegal. */
  #number(start: number): TokenKind {
    this.end = start;
    if (/^0x/i.test(this.sql.slice(start, start + 2))) return this.#to("number", isNamePart);
    this.#to("number", isDigitPart);
    if (this.sql[this.end] === ".") {
      this.end += 1;
      this.#to("number", isDigitPart);
    }
    const exponent = /^[eE][+-]?[0-9]/.exec(this.sql.slice(this.end, this.end + 3))?.[0];
    if (exponent !== undefined) {
      this.end += exponent.length;
      this.#to("number", isDigitPart);
    }
    const digitsEnd = this.end;
    this.#to("number", isNamePart);
    return this.end === digitsEnd ? "number" : "illegal";
  }

  /** `:name`, `@name`, `$name`, and the Tcl form `$a::b(c)` that SQLite accepts. */
  #parameter(): TokenKind {
    const start = this.end;
    let colons = 0;
    for (;;) {
      this.#to("parameter", isNamePart);
      if (!this.sql.startsWith("::", this.end)) break;
      colons += 2;
      this.end += 2;
    }
    if (this.end - start === colons) return "illegal";
    if (this.sql[this.end] !== "(") return "parameter";
    this.#to("parameter", (character) => character !== ")" && !isInnerSpace(character));
    if (this.sql[this.end] !== ")") return "illegal";
    this.end += 1;
    return "parameter";
  }
}

/** The name of a `name` or `quoted-name` token, without quotes. */
export function unquoteName(token: Token): string {
  if (token.kind !== "quoted-name") return token.text;
  const inner = token.text.slice(1, -1);
  const quote = token.text.charAt(0);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

/** The tokens between the commas outside of parentheses. */
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

/** The name that a token refers to. Where SQLite expects a name, it accepts a string too. */
export const identifierText = (token: Token): string =>
  token.kind === "string" ? token.text.slice(1, -1).replaceAll("''", "'") : unquoteName(token);
