import { InvalidSql } from "../errors/classes.js";
import { quoteIdentifier, quoteText } from "./identifiers.js";
import { meaningful, sqlTokens, unquote, type SqlToken } from "./tokens.js";
import type { SqlInput } from "../engine/values.js";

/**
 * Escapes a full-text search text so that every word and every "quoted phrase" is matched literally: words get quotes,
 * an unclosed quote is closed, and `""` is removed.
 *
 * @example
 * escapeSearch('two "exact words"'); // '"two" "exact words"'
 */
export function escapeSearch(text: string): string {
  const balanced = text.split('"').length % 2 === 0 ? `${text}"` : text;
  const pieces = balanced.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return pieces
    .filter((piece) => piece !== '""')
    .map((piece) => (piece.startsWith('"') ? piece : `"${piece}"`))
    .join(" ");
}

/** A statement and its named values. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

const FUNCTION = "escape_fts";

/**
 * Replaces calls of `escape_fts(...)`, a function that engines do not have. Parameters and string literals are escaped
 * in JavaScript, other arguments by an SQL expression. Published statements show the call itself.
 *
 * @example
 * const { sql, params } = resolveEscapeFts({ sql: "select escape_fts(:q) as q", params: { q: "two words" } });
 * sql; // "select :q_escaped_0 as q"
 * params["q_escaped_0"]; // '"two" "words"'
 * @throws InvalidSql when the argument is a parameter without a value
 */
export function resolveEscapeFts({ sql, params }: Statement): Statement {
  if (!sql.toLowerCase().includes(FUNCTION)) return { sql, params };
  const added = new Map<string, SqlInput>();
  const bind = (name: string): string => {
    if (!Object.hasOwn(params, name)) {
      throw new InvalidSql(`You did not supply a value for binding parameter :${name}.`);
    }
    const value = params[name];
    const free = freeName(`${name}_escaped_${added.size}`, params);
    added.set(free, value === null || value === undefined ? null : escapeSearch(String(value)));
    return `:${free}`;
  };
  return { sql: rewritten(sqlTokens(sql), bind), params: { ...params, ...Object.fromEntries(added) } };
}

type Bind = (parameter: string) => string;

function rewritten(tokens: readonly SqlToken[], bind: Bind): string {
  const pieces: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const call = callAt(tokens, at);
    pieces.push(call === null ? textOf(tokens.slice(at, at + 1)) : replacement(tokens, at, call, bind));
    at = call?.last ?? at;
  }
  return pieces.join("");
}

const textOf = (tokens: readonly SqlToken[]): string => tokens.map(({ text }) => text).join("");

/** A result column that consists of the call gets an alias, so that its name is the text of the call. */
function replacement(tokens: readonly SqlToken[], at: number, { argument, last }: Call, bind: Bind): string {
  const name = isColumn(tokens, at, last) ? ` as ${quoteIdentifier(textOf(tokens.slice(at, last + 1)))}` : "";
  return escaped(argument, bind) + name;
}

const COLUMN_STARTS: ReadonlySet<string> = new Set(["select", "distinct", "all", ","]);
const CLAUSES = [
  "from",
  "where",
  "group",
  "having",
  "window",
  "order",
  "limit",
  "union",
  "intersect",
  "except",
];
const COLUMN_ENDS: ReadonlySet<string> = new Set([...CLAUSES, ",", ";", ")", ""]);

/** True if the tokens from `at` to `last` are a complete result column. */
function isColumn(tokens: readonly SqlToken[], at: number, last: number): boolean {
  const next = tokens[nextMeaningful(tokens, last)]?.text ?? "";
  const before = meaningful(tokens.slice(0, at)).map(({ text }) => text.toLowerCase());
  if (!COLUMN_ENDS.has(next.toLowerCase()) || !COLUMN_STARTS.has(before.at(-1) ?? "")) return false;
  let depth = 0;
  for (const text of before.toReversed()) {
    depth += text === ")" ? 1 : text === "(" ? -1 : 0;
    if (depth < 0) return false;
    if (depth === 0 && text === "select") return true;
    if (depth === 0 && CLAUSES.includes(text)) return false;
  }
  return false;
}

interface Call {
  readonly argument: readonly SqlToken[];
  /** Index of the closing bracket. */
  readonly last: number;
}

/** The call that starts at a token; null for others, and for calls without exactly one argument: the engine rejects these. */
function callAt(tokens: readonly SqlToken[], at: number): Call | null {
  const name = tokens[at];
  if (name?.kind !== "word" || name.text.toLowerCase() !== FUNCTION) return null;
  const open = nextMeaningful(tokens, at);
  if (tokens[open]?.text !== "(") return null;
  let depth = 1;
  for (let last = open + 1; last < tokens.length; last += 1) {
    const { text } = tokens[last] ?? { text: "" };
    if (text === "," && depth === 1) return null;
    depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    if (depth > 0) continue;
    const argument = tokens.slice(open + 1, last);
    return meaningful(argument).length === 0 ? null : { argument, last };
  }
  return null;
}

function nextMeaningful(tokens: readonly SqlToken[], from: number): number {
  let at = from + 1;
  while (tokens[at]?.kind === "space" || tokens[at]?.kind === "comment") at += 1;
  return at;
}

function escaped(argument: readonly SqlToken[], bind: Bind): string {
  const [only, ...more] = meaningful(argument);
  if (only !== undefined && more.length === 0) {
    if (only.kind === "text") return quoteText(escapeSearch(unquote(only.text)));
    if (only.kind === "parameter" && !only.text.startsWith("?")) return bind(only.text.slice(1));
  }
  return escapedInSql(rewritten(argument, bind));
}

/** The characters that `\s` matches in JavaScript. */
const SPACES =
  "char(9, 10, 11, 12, 13, 32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, " +
  "8232, 8233, 8239, 8287, 12288, 65279)";

/**
 * {@link escapeSearch} as SQL expression: reads the text character by character and splits it into phrases in quotes
 * and words between spaces. NULL stays NULL.
 */
function escapedInSql(expression: string): string {
  const first = "substr(rest, 1, 1)";
  const ends = `(${first} = '"' or (not quoted and instr(${SPACES}, ${first})))`;
  const withPiece = `done || iif(piece = '', '', ' "' || piece || '"')`;
  // The line break ends a comment at the end of the expression.
  return `(with recursive
    escape_fts_text(whole) as (select cast(${expression}\n as text)),
    escape_fts_step(rest, quoted, piece, done) as (
      select whole, 0, '', '' from escape_fts_text
      union all
      select substr(rest, 2), quoted <> (${first} = '"'), iif(${ends}, '', piece || ${first}),
        iif(${ends}, ${withPiece}, done)
      from escape_fts_step where rest <> ''
    )
    select ltrim(${withPiece}) from escape_fts_step where rest = '')`;
}

function freeName(wanted: string, params: Statement["params"]): string {
  return Object.hasOwn(params, wanted) ? freeName(`${wanted}_`, params) : wanted;
}
