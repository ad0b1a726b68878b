import { InvalidSql } from "rowhouse/plugin-api/errors";
import { sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";

const LIST = "pragma_database_list";
const NAMES_ONLY = `(select seq, name, '' as file from ${LIST})`;

/**
 * Replaces `pragma_database_list` by a query without the file column, so that untrusted SQL cannot read paths of files.
 *
 * @throws InvalidSql if the name cannot be replaced: with a schema, or as a string
 */
export function hideFileNames(sql: string): string {
  if (!sql.toLowerCase().includes(LIST)) return sql;
  const tokens = sqlTokens(sql);
  let written = "";
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (!namesList(token)) {
      written += token.text;
      continue;
    }
    const place = placeOf(tokens, at);
    if (token.kind === "text" || place.before === ".") throw new InvalidSql(`no such table: ${LIST}`);
    if (place.after === "." || place.before === "as") {
      written += token.text;
      continue;
    }
    written += place.isAliased || place.before === "in" ? NAMES_ONLY : `${NAMES_ONLY} as ${LIST}`;
    at = place.last;
  }
  return written;
}

function namesList({ kind, text }: SqlToken): boolean {
  return ["word", "name", "text"].includes(kind) && unquote(text).toLowerCase() === LIST;
}

interface Place {
  /** The neighbouring tokens in lower case, without spaces and comments; empty at the ends. */
  readonly before: string;
  readonly after: string;
  readonly isAliased: boolean;
  /** The last token of the name, which `()` may follow. */
  readonly last: number;
}

function placeOf(tokens: readonly SqlToken[], at: number): Place {
  const open = neighbour(tokens, at, 1);
  const close = neighbour(tokens, open, 1);
  const last = tokens[open]?.text === "(" && tokens[close]?.text === ")" ? close : at;
  const next = tokens[neighbour(tokens, last, 1)];
  return {
    before: tokens[neighbour(tokens, at, -1)]?.text.toLowerCase() ?? "",
    after: tokens[open]?.text.toLowerCase() ?? "",
    isAliased: next !== undefined && isAlias(next),
    last,
  };
}

function neighbour(tokens: readonly SqlToken[], from: number, step: 1 | -1): number {
  let at = from + step;
  while (tokens[at]?.kind === "space" || tokens[at]?.kind === "comment") at += step;
  return at;
}

/** Words after a table that are not an alias. */
const CLAUSES: ReadonlySet<string> = new Set(
  (
    "where join left right full inner outer cross natural on using group having window order limit " +
    "union except intersect"
  ).split(" "),
);

const isAlias = ({ kind, text }: SqlToken): boolean =>
  kind === "name" || kind === "text" || (kind === "word" && !CLAUSES.has(text.toLowerCase()));
