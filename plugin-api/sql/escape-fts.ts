import type { NamedStatement } from "../engine/dialect.js";
import { InvalidSql } from "../errors/classes.js";
import { quoteIdentifier, quoteText } from "./identifiers.js";
import { sqlTokens, unquote, type SqlToken } from "./tokens.js";
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

/** The former name of `NamedStatement`. */
export type Statement = NamedStatement;

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
export function resolveEscapeFts({ sql, params }: NamedStatement): NamedStatement {
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

/**
 * The statement with each call replaced, in one pass: it takes linear time, and a call inside of a call no recursion.
 */
function rewritten(tokens: readonly SqlToken[], bind: Bind): string {
  const brackets = bracketsIn(tokens);
  const lists = new SelectLists();
  const pieces: string[] = [];
  /** What replaces the closing brackets of calls, by their index. */
  const ends = new Map<number, string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const call = callAt(tokens, at, brackets);
    if (call === null) {
      pieces.push(ends.get(at) ?? tokens[at]?.text ?? "");
      lists.pass(tokens[at]);
      continue;
    }
    const next = tokens[nextMeaningful(tokens, call.last)]?.text ?? "";
    const name = lists.isColumnBefore(next) ? ` as ${quoteIdentifier(textOf(tokens, at, call.last))}` : "";
    lists.pass(tokens[at]);
    const value = escapedValue(tokens, call, bind);
    if (value === null) {
      pieces.push(START_OF_SQL);
      ends.set(call.last, END_OF_SQL + name);
      lists.pass(tokens[call.open]);
    } else pieces.push(value + name);
    at = value === null ? call.open : call.last;
  }
  return pieces.join("");
}

const textOf = (tokens: readonly SqlToken[], first: number, last: number): string =>
  tokens
    .slice(first, last + 1)
    .map(({ text }) => text)
    .join("");

const COLUMN_STARTS: ReadonlySet<string> = new Set(["select", "distinct", "all", ","]);
const CLAUSES: ReadonlySet<string> = new Set([
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
]);
const COLUMN_ENDS: ReadonlySet<string> = new Set([...CLAUSES, ",", ";", ")", ""]);

/** Which tokens are in a list of result columns, while they are passed one after the other. */
class SelectLists {
  /** For each open bracket, and outside of all: true after SELECT, until the next clause. */
  readonly #open = [false];
  #before = "";

  pass(token: SqlToken | undefined): void {
    if (token === undefined || isFiller(token)) return;
    const text = token.text.toLowerCase();
    this.#before = text;
    if (text === "(") this.#open.push(false);
    else if (text === ")" && this.#open.length > 1) this.#open.pop();
    else if (text === "select" || CLAUSES.has(text)) this.#open[this.#open.length - 1] = text === "select";
  }

  /** True if an expression between the last token and `next` is a complete result column: it gets an alias. */
  isColumnBefore(next: string): boolean {
    return (
      this.#open.at(-1) === true && COLUMN_STARTS.has(this.#before) && COLUMN_ENDS.has(next.toLowerCase())
    );
  }
}

/** A pair of brackets by the index of the opening one. */
interface Bracket {
  readonly last: number;
  readonly hasComma: boolean;
}

function bracketsIn(tokens: readonly SqlToken[]): ReadonlyMap<number, Bracket> {
  const closed = new Map<number, Bracket>();
  const open: { readonly at: number; hasComma: boolean }[] = [];
  for (const [index, { text }] of tokens.entries()) {
    const inner = open.at(-1);
    if (text === "(") open.push({ at: index, hasComma: false });
    else if (text === "," && inner !== undefined) inner.hasComma = true;
    else if (text === ")" && inner !== undefined) {
      closed.set(inner.at, { last: index, hasComma: inner.hasComma });
      open.pop();
    }
  }
  return closed;
}

interface Call {
  /** Index of the opening bracket. */
  readonly open: number;
  /** Index of the closing bracket. */
  readonly last: number;
}

/** The call that starts at a token; null for others, and for calls without exactly one argument: the engine rejects these. */
function callAt(
  tokens: readonly SqlToken[],
  at: number,
  brackets: ReadonlyMap<number, Bracket>,
): Call | null {
  const name = tokens[at];
  if (name?.kind !== "word" || name.text.toLowerCase() !== FUNCTION) return null;
  const open = nextMeaningful(tokens, at);
  const found = brackets.get(open);
  if (found === undefined || found.hasComma || nextMeaningful(tokens, open) === found.last) return null;
  return { open, last: found.last };
}

const isFiller = ({ kind }: SqlToken): boolean => kind === "space" || kind === "comment";

function nextMeaningful(tokens: readonly SqlToken[], from: number): number {
  let at = from + 1;
  for (let token = tokens[at]; token !== undefined && isFiller(token); token = tokens[at]) at += 1;
  return at;
}

/** The escaped text or parameter; null for an argument that only the engine can compute. */
function escapedValue(tokens: readonly SqlToken[], { open, last }: Call, bind: Bind): string | null {
  const first = nextMeaningful(tokens, open);
  const only = tokens[first];
  if (only === undefined || nextMeaningful(tokens, first) !== last) return null;
  if (only.kind === "text") return quoteText(escapeSearch(unquote(only.text)));
  return only.kind === "parameter" && !only.text.startsWith("?") ? bind(only.text.slice(1)) : null;
}

/** The characters that `\s` matches in JavaScript. */
const SPACES =
  "char(9, 10, 11, 12, 13, 32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, " +
  "8232, 8233, 8239, 8287, 12288, 65279)";

const FIRST = "substr(rest, 1, 1)";
const ENDS = `(${FIRST} = '"' or (not quoted and instr(${SPACES}, ${FIRST})))`;
const WITH_PIECE = `done || iif(piece = '', '', ' "' || piece || '"')`;

/**
 * {@link escapeSearch} as SQL expression, up to its argument: reads the text character by character and splits it into
 * phrases in quotes and words between spaces. NULL stays NULL.
 */
const START_OF_SQL = `(with recursive
    escape_fts_text(whole) as (select cast(`;
// The line break ends a comment at the end of the argument.
const END_OF_SQL = `\n as text)),
    escape_fts_step(rest, quoted, piece, done) as (
      select whole, 0, '', '' from escape_fts_text
      union all
      select substr(rest, 2), quoted <> (${FIRST} = '"'), iif(${ENDS}, '', piece || ${FIRST}),
        iif(${ENDS}, ${WITH_PIECE}, done)
      from escape_fts_step where rest <> ''
    )
    select ltrim(${WITH_PIECE}) from escape_fts_step where rest = '')`;

function freeName(wanted: string, params: NamedStatement["params"]): string {
  return Object.hasOwn(params, wanted) ? freeName(`${wanted}_`, params) : wanted;
}
