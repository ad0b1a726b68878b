import { LRUCache } from "lru-cache";
import { InvalidSql } from "rowhouse/plugin-api";
import { tokenize, type Token } from "./tokenizer.js";

/** One SQL statement, cut into tokens. */
export interface Statement {
  /** Without the spaces, comments and semicolons around it. */
  readonly sql: string;
  /** Spaces and comments left out; positions are those in `sql`. */
  readonly tokens: readonly Token[];
  /** The first word in lower case; empty when it is not a word. */
  readonly verb: string;
  /** Every quote is closed and every bracket has its partner: it may stand inside another statement. */
  readonly wellFormed: boolean;
}

// Statements of pages come again with every request; long ones (bulk inserts) rarely do.
const remembered = new LRUCache<string, Statement>({
  max: 500,
  // In characters; the tokens take about 40 bytes for each.
  maxSize: 500_000,
  sizeCalculation: (_statement, sql) => sql.length + 1,
});
/** Longer SQL texts, in characters, are not worth remembering. */
export const MAX_CACHED_SQL = 20_000;

/**
 * The one statement in `sql`.
 *
 * @throws InvalidSql when there are several, or none
 */
export function singleStatement(sql: string): Statement {
  const known = remembered.get(sql);
  if (known !== undefined) return known;
  const statement = readStatement(sql);
  if (sql.length <= MAX_CACHED_SQL) remembered.set(sql, statement);
  return statement;
}

function readStatement(sql: string): Statement {
  const all = tokenize(sql);
  const first = all.findIndex(({ kind }) => kind !== "semicolon");
  const last = all.findLastIndex(({ kind }) => kind !== "semicolon");
  const start = all[first]?.start;
  if (start === undefined) throw new InvalidSql("There is no statement to execute.");
  if (first > 0 || start > 0) return readStatement(sql.slice(start));
  const tokens = last === all.length - 1 ? all : all.slice(0, last + 1);
  if (tokens.some(({ kind }) => kind === "semicolon") && !isTriggerDefinition(tokens)) {
    throw new InvalidSql("You can only execute one statement at a time.");
  }
  return {
    sql: sql.slice(0, tokens.at(-1)?.end),
    tokens,
    verb: tokens[0]?.kind === "name" ? tokens[0].text.toLowerCase() : "",
    wellFormed: isWellFormed(tokens),
  };
}

/** The body of a trigger holds semicolons; its statement ends with the word `end`. */
function isTriggerDefinition(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 3).map(({ text }) => text.toLowerCase());
  const creates = words[0] === "create" && (words[1] === "trigger" || words[2] === "trigger");
  if (!creates || tokens.at(-1)?.text.toLowerCase() !== "end") return false;
  const ends = tokens.filter(
    (token, index) =>
      token.kind === "name" && token.text.toLowerCase() === "end" && tokens[index - 1]?.kind === "semicolon",
  );
  return ends.length === 1;
}

function isWellFormed(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { kind } of tokens) {
    if (kind === "illegal") return false;
    if (kind === "open") depth += 1;
    if (kind === "close") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
