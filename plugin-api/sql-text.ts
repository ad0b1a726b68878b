/** The kind of an SQL token. */
export type SqlTokenKind =
  | "space"
  | "comment"
  /** `'text'`, quotes included. */
  | "text"
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
}

/**
 * Splits SQL into tokens by the lexical rules of SQLite, in linear time. It never fails: an unclosed quote or comment
 * extends to the end of the text, and an unknown character is a symbol.
 *
 * @example
 * sqlTokens("select :id").map(({ kind }) => kind); // ["word", "space", "parameter"]
 */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let start = 0;
  while (start < sql.length) {
    const [kind, end] = tokenAt(sql, start);
    tokens.push({ kind, text: sql.slice(start, end), start });
    start = end;
  }
  return tokens;
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

type Found = readonly [kind: SqlTokenKind, end: number];

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', "`": "`", "[": "]" };

function tokenAt(sql: string, start: number): Found {
  const character = sql.charAt(start);
  if (isSpace(character)) return ["space", endOfRun(sql, start, isSpace)];
  if (sql.startsWith("--", start)) return ["comment", after(sql, "\n", start)];
  if (sql.startsWith("/*", start)) return ["comment", after(sql, "*/", start + 2)];
  const closing = CLOSING[character];
  if (closing !== undefined) return [character === "'" ? "text" : "name", endOfQuoted(sql, start, closing)];
  if (character === "?") return ["parameter", endOfRun(sql, start + 1, isDigit)];
  if (":@$#".includes(character)) return parameterAt(sql, start);
  if (isDigit(character)) return ["number", endOfRun(sql, start, isNumberPart)];
  if (isNamePart(character)) return ["word", endOfRun(sql, start, isNamePart)];
  return ["symbol", start + 1];
}

function parameterAt(sql: string, start: number): Found {
  const end = endOfRun(sql, start + 1, isNamePart);
  return end === start + 1 ? ["symbol", end] : ["parameter", end];
}

/** A doubled closing quote is part of the text, except in brackets. */
function endOfQuoted(sql: string, start: number, closing: string): number {
  let end = after(sql, closing, start + 1);
  while (closing !== "]" && end < sql.length && sql.charAt(end) === closing)
    end = after(sql, closing, end + 1);
  return end;
}

function after(sql: string, text: string, from: number): number {
  const at = sql.indexOf(text, from);
  return at === -1 ? sql.length : at + text.length;
}

function endOfRun(sql: string, start: number, belongs: (character: string) => boolean): number {
  let end = start;
  while (end < sql.length && belongs(sql.charAt(end))) end += 1;
  return end;
}

// A byte order mark counts as space, as it does for SQLite.
const isSpace = (character: string): boolean => " \t\n\f\r\uFEFF".includes(character);
const isDigit = (character: string): boolean => character >= "0" && character <= "9";
const isNamePart = (character: string): boolean => /[A-Za-z0-9_$\u0080-\uFFFF]/.test(character);
const isNumberPart = (character: string): boolean => character === "." || isNamePart(character);

/** Renames the `:name` parameters of a condition. Text inside of SQL strings is not changed. */
export const renameParameters = (sql: string, names: ReadonlyMap<string, string>): string =>
  sqlTokens(sql)
    .map(({ kind, text }) => {
      const name = kind === "parameter" && text.startsWith(":") ? names.get(text.slice(1)) : undefined;
      return name === undefined ? text : `:${name}`;
    })
    .join("");
