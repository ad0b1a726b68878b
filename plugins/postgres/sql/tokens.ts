/** The kind of a token. Spaces and comments are one kind, because statements ignore both. */
export type TokenKind = "space" | "text" | "name" | "word" | "number" | "parameter" | "symbol";

/** A token of a statement of PostgreSQL. The joined tokens of a text equal the text. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/**
 * Between two parts of one text: the second part may follow after spaces and comments with a line break. Then it has escapes
 * if the first part has them.
 */
const CONTINUED = /'[ \t\f\v]*(?:--[^\r\n]*)?[\r\n](?:[ \t\f\v\r\n]|--[^\r\n]*[\r\n])*'/;

// In the order in which they are tried. `standard_conforming_strings` is on, so only E'...' has escapes.
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["space", /[\s\ufeff]+|--[^\r\n]*/y],
  ["text", new RegExp(String.raw`[eE]'(?:[^'\\]|\\[\s\S]|''|${CONTINUED.source})*(?:'|$)`, "y")],
  ["text", /(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|$)/y],
  ["name", /(?:[uU]&)?"(?:[^"]|"")*(?:"|$)/y],
  ["word", /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ["number", /(?:\d[\d_]*(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["parameter", /\$\d+|:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*|@[A-Za-z_][\w]*(?![\w(])/y],
];

const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/** Splits SQL into tokens as PostgreSQL does. It never fails: what is not closed extends to the end of the text. */
export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at, tokens.at(-1));
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(sql: string, at: number, before: Token | undefined): Token {
  if (sql.startsWith("/*", at)) return { kind: "space", text: sql.slice(at, commentEnd(sql, at)) };
  const dollar = match(DOLLAR_QUOTE, sql, at);
  if (dollar !== null) {
    const end = sql.indexOf(dollar, at + dollar.length);
    return { kind: "text", text: sql.slice(at, end === -1 ? sql.length : end + dollar.length) };
  }
  // `::` is a cast: the name after it is a type, not a parameter.
  if (sql.startsWith("::", at)) return { kind: "symbol", text: "::" };
  for (const [kind, pattern] of PATTERNS) {
    if (kind === "parameter" && sql[at] === "@" && before?.kind === "symbol") continue;
    const text = match(pattern, sql, at);
    if (text !== null && text !== "") return { kind, text };
  }
  return { kind: "symbol", text: sql.charAt(at) };
}

function match(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}

/** Comments can contain comments. */
function commentEnd(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length; at += 1) {
    if (sql.startsWith("/*", at)) {
      depth += 1;
      at += 1;
    } else if (sql.startsWith("*/", at)) {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return sql.length;
}

/** The name that a word or a text in double quotes is to the server; null for other tokens. */
export function nameOf({ kind, text }: Token): string | null {
  if (kind === "name") return text.slice(1, -1).replaceAll('""', '"');
  return kind === "word" ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : null;
}

/** The tokens without spaces and comments. */
export const meaningful = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(({ kind }) => kind !== "space");
