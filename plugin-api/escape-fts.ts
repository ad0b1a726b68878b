import { InvalidSql } from "./errors.js";
import { escapeSearch, quoteText } from "./sql.js";
import { sqlTokens } from "./sql-text.js";
import type { SqlToken } from "./sql-text.js";
import type { SqlInput } from "./values.js";

/** A statement and its named values. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

const FUNCTION = "escape_fts";

/**
 * Carries out `escape_fts(...)` before the engine sees the statement, since engines need not know that function.
 * Its argument is one parameter or one string literal; in any other form the call is left for the engine to refuse.
 * The published statement stays the one with the call in it.
 */
export function resolveEscapeFts({ sql, params }: Statement): Statement {
  if (!sql.toLowerCase().includes(FUNCTION)) return { sql, params };
  const tokens = sqlTokens(sql);
  const added: [string, SqlInput][] = [];
  let written = "";
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const call = callAt(tokens, at);
    if (call === null) {
      written += token.text;
      continue;
    }
    const [replacement, value] = escaped(call.argument, params, added.length);
    if (value !== null) added.push(value);
    written += replacement;
    at = call.last;
  }
  return { sql: written, params: Object.fromEntries([...Object.entries(params), ...added]) };
}

function callAt(
  tokens: readonly SqlToken[],
  at: number,
): { readonly argument: SqlToken; readonly last: number } | null {
  const name = tokens[at];
  if (name?.kind !== "word" || name.text.toLowerCase() !== FUNCTION) return null;
  const open = nextMeaningful(tokens, at);
  const inner = nextMeaningful(tokens, open);
  const close = nextMeaningful(tokens, inner);
  const argument = tokens[inner];
  if (tokens[open]?.text !== "(" || tokens[close]?.text !== ")" || argument === undefined) return null;
  if (argument.kind === "text") return { argument, last: close };
  return argument.kind === "parameter" && !argument.text.startsWith("?") ? { argument, last: close } : null;
}

function nextMeaningful(tokens: readonly SqlToken[], from: number): number {
  let at = from + 1;
  while (tokens[at]?.kind === "space" || tokens[at]?.kind === "comment") at += 1;
  return at;
}

type Escaped = readonly [replacement: string, added: [string, SqlInput] | null];

function escaped(argument: SqlToken, params: Statement["params"], index: number): Escaped {
  if (argument.kind === "text") {
    return [quoteText(escapeSearch(argument.text.slice(1, -1).replaceAll("''", "'"))), null];
  }
  const name = argument.text.slice(1);
  if (!Object.hasOwn(params, name)) {
    throw new InvalidSql(`You did not supply a value for binding parameter :${name}.`);
  }
  const value = params[name];
  const free = freeName(`${name}_escaped_${index}`, params);
  const text = value === null || value === undefined ? null : escapeSearch(String(value));
  return [`:${free}`, [free, text]];
}

function freeName(wanted: string, params: Statement["params"]): string {
  return Object.hasOwn(params, wanted) ? freeName(`${wanted}_`, params) : wanted;
}
