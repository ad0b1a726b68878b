/** The kind of an SQL token. */
export type SqlTokenKind =
  | "space"
  | "comment"
  /** `'text'`, quotes included. */
  | "text"
  /** `x'00ff'`. */
  | "blob"
  /** A quoted name: `"a"`, `` `a` ``, `[a]`. */
  | "name"
  /** A keyword or bare name. */
  | "word"
  | "number"
  /** `:a`, `@a`, `$a`, `?`, `?1`. */
  | "parameter"
  | "symbol";

/** A token of an SQL text. The joined tokens of a text equal the text. */
export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly text: string;
  /** Offset of its first character in the SQL text. */
  readonly start: number;
  /** Offset of the character after it. */
  readonly end: number;
  /** False if SQLite rejects it: an unclosed quote, a number with letters, an unknown character. */
  readonly isValid: boolean;
}

/**
 * Splits SQL into tokens as the tokenizer of SQLite does, in linear time. It never fails: an unclosed quote or comment
 * extends to the end of the text, and an unknown character is a symbol.
 *
 * @example
 * sqlTokens("select :id").map(({ kind }) => kind); // ["word", "space", "parameter"]
 */
export function sqlTokens(sql: string): readonly SqlToken[] {
  if (sql === latest.sql) return latest.tokens;
  const tokens: SqlToken[] = [];
  const scanner = new Scanner(sql);
  for (let start = 0; start < sql.length; start = scanner.end) {
    const kind = scanner.scan(start);
    const { end, isValid } = scanner;
    tokens.push({ kind, text: sql.slice(start, end), start, end, isValid });
  }
  if (sql.length <= LONGEST_KEPT) latest = { sql, tokens };
  return tokens;
}

/** In characters: an address and the SQL of a write have no longer statements. */
const LONGEST_KEPT = 100_000;
/** A request splits its statement several times. */
let latest: { readonly sql: string; readonly tokens: readonly SqlToken[] } = { sql: "", tokens: [] };

/**
 * The text in quotes of any kind, without them; other texts as they are.
 *
 * @example
 * unquote('"a ""b"""'); // 'a "b"'
 * unquote("[order]"); // "order"
 */
export function unquote(text: string): string {
  const quote = text.charAt(0);
  if (quote === "[") return text.slice(1, -1);
  if (quote !== '"' && quote !== "`" && quote !== "'") return text;
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/**
 * The tokens without spaces and comments.
 *
 * @example
 * meaningful(sqlTokens("select 1 -- one")).map(({ text }) => text); // ["select", "1"]
 */
export const meaningful = (tokens: readonly SqlToken[]): SqlToken[] =>
  tokens.filter(({ kind }) => kind !== "space" && kind !== "comment");

/**
 * The names of the `:name` parameters of a statement, each once, in order of appearance.
 *
 * @example
 * namedParameters("select :id, ':text'"); // ["id"]
 */
export function namedParameters(sql: string): readonly string[] {
  const names = sqlTokens(sql)
    .filter(({ kind, text }) => kind === "parameter" && text.startsWith(":"))
    .map(({ text }) => text.slice(1));
  return [...new Set(names)];
}

const SPACES = " \t\n\f\r";
// A vertical tab is space only after another space. A byte order mark is space only at the start of a token.
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

/** Characters that are tokens by themselves. Operators of two characters are two tokens. */
const SYMBOLS: ReadonlySet<string> = new Set(";(),*+%=<>!|&~-/.");

class Scanner {
  /** The end of the token that was scanned last. */
  end = 0;
  /** False if SQLite rejects that token. */
  isValid = true;

  constructor(private readonly sql: string) {}

  /** The kind of the token that begins at `start`. */
  scan(start: number): SqlTokenKind {
    const { sql } = this;
    const character = sql.charAt(start);
    this.end = start + 1;
    this.isValid = true;
    if (SPACES.includes(character) || character === BYTE_ORDER_MARK) return this.#to("space", isInnerSpace);
    if (isNameStart(character)) return this.#nameOrBlob(start);
    if (isDigit(character) || (character === "." && isDigit(sql.charAt(start + 1))))
      return this.#number(start);
    switch (character) {
      case "'":
        return this.#closed("text", character);
      case '"':
      case "`":
        return this.#closed("name", character);
      case "[":
        return this.#upTo("name", "]");
      case "?":
        return this.#to("parameter", isDigit);
      case ":":
      case "@":
      case "$":
      case "#":
        return this.#parameter();
    }
    if (sql.startsWith("--", start)) return this.#comment("\n");
    if (sql.startsWith("/*", start)) {
      this.end += 1;
      return this.#comment("*/");
    }
    this.isValid = SYMBOLS.has(character);
    return "symbol";
  }

  /** Extends the token while characters belong to it. */
  #to(kind: SqlTokenKind, belongs: (character: string) => boolean): SqlTokenKind {
    while (this.end < this.sql.length && belongs(this.sql.charAt(this.end))) this.end += 1;
    return kind;
  }

  /** Extends the token to the first `last`, or to the end of the text, which makes it invalid. */
  #upTo(kind: SqlTokenKind, last: string): SqlTokenKind {
    const at = this.sql.indexOf(last, this.end);
    this.end = at === -1 ? this.sql.length : at + last.length;
    this.isValid = at !== -1;
    return kind;
  }

  /** A doubled quote is part of the text. */
  #closed(kind: SqlTokenKind, quote: string): SqlTokenKind {
    for (;;) {
      this.#upTo(kind, quote);
      if (!this.isValid || this.sql[this.end] !== quote) return kind;
      this.end += 1;
    }
  }

  /** SQLite accepts a comment that is never closed. */
  #comment(last: string): SqlTokenKind {
    this.#upTo("comment", last);
    this.isValid = true;
    return "comment";
  }

  #nameOrBlob(start: number): SqlTokenKind {
    const isBlob = (this.sql[start] === "x" || this.sql[start] === "X") && this.sql[start + 1] === "'";
    if (!isBlob) return this.#to("word", isNamePart);
    this.end += 1;
    return this.#closed("blob", "'");
  }

  /** Digits, point, exponent, `0x1f` and `1_000`. Letters that follow directly make it invalid. */
  #number(start: number): SqlTokenKind {
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
    this.isValid = this.end === digitsEnd;
    return "number";
  }

  /** `:name`, `@name`, `$name`, and the forms of Tcl that SQLite accepts: `$a::b(c)`. */
  #parameter(): SqlTokenKind {
    const start = this.end;
    let colons = 0;
    for (;;) {
      this.#to("parameter", isNamePart);
      if (!this.sql.startsWith("::", this.end)) break;
      colons += 2;
      this.end += 2;
    }
    this.isValid = this.end - start > colons;
    if (!this.isValid) return "symbol";
    if (this.sql[this.end] !== "(") return "parameter";
    this.#to("parameter", (character) => character !== ")" && !isInnerSpace(character));
    this.isValid = this.sql[this.end] === ")";
    if (this.isValid) this.end += 1;
    return "parameter";
  }
}

/**
 * True for one of these keywords, or for an unquoted name that is spelled like it.
 *
 * @param words in lower case
 * @example
 * const [first] = sqlTokens("SELECT 1");
 * isWord(first, "select", "values"); // true
 */
export const isWord = (token: SqlToken | undefined, ...words: readonly string[]): boolean =>
  token?.kind === "word" && words.includes(token.text.toLowerCase());

/**
 * Renames the `:name` parameters of a condition. Text inside of SQL strings is not changed.
 *
 * @example
 * renameParameters("year = :y and note != ':y'", new Map([["y", "p0"]])); // "year = :p0 and note != ':y'"
 */
export const renameParameters = (sql: string, names: ReadonlyMap<string, string>): string =>
  sqlTokens(sql)
    .map(({ kind, text }) => {
      const name = kind === "parameter" && text.startsWith(":") ? names.get(text.slice(1)) : undefined;
      return name === undefined ? text : `:${name}`;
    })
    .join("");
