import { quoteIdentifier, WriteRejected, type Column } from "rowhouse/plugin-api";
import { findByName } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";
import { bracketDepths, keywordOf, nameOf } from "./sql-parts.js";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const KEYWORDS = words(
  "and or not is null in between like glob escape case when then else end cast as true false",
);
/** Keywords that a bracket may follow. */
const BEFORE_BRACKET = words("and or not in between like glob case when then else cast is");
const TYPES = words("integer bigint text real numeric");
/** They read nothing and have no effect. */
const FUNCTIONS = words(
  "abs coalesce date datetime instr json_valid julianday length lower ltrim nullif round rtrim substr time trim " +
    "typeof upper",
);
/** They search a value for their second argument. With two long values of a row this would take hours. */
const SEARCHING = words("instr ltrim rtrim trim");
const SYMBOLS = words("( ) , + - * / % || = == <> != < <= > >=");
const MOST_CHARACTERS = 2_000;
const MOST_BRACKETS = 30;

/**
 * The expression of a CHECK that a client has sent, with quoted names. It can only be made of the columns of the table,
 * values, operators and a few functions: a CHECK runs with the rights of the server whenever a row is written.
 *
 * @throws WriteRejected naming the first part that is not allowed
 */
export function checkExpression(sql: string, columns: Named): string {
  if (sql.trim() === "") throw refused("is empty");
  if (sql.length > MOST_CHARACTERS) throw refused(`is longer than ${MOST_CHARACTERS} characters`);
  const all = sqlTokens(sql);
  const tokens = withOperators(meaningful(all));
  if (all.some(({ kind }) => kind === "comment")) throw refused("has a comment");
  checkBrackets(tokens);
  return tokens.map((token, index) => partOf(token, { tokens, index, columns })).join(" ");
}

/** Operators of several characters as one token; a sign at the end is one of its own: `=-1`. */
function withOperators(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const merged: SqlToken[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    const isSign = token.text === "-" || token.text === "+";
    const continues = last?.end === token.start && isOperator(last) && isOperator(token) && !isSign;
    if (!continues) merged.push(token);
    else merged[merged.length - 1] = { ...last, text: last.text + token.text, end: token.end };
  }
  return merged;
}

const isOperator = ({ kind, text }: SqlToken): boolean => kind === "symbol" && !"(),;".includes(text);

/** The columns that an expression can name. */
export type Named = readonly Pick<Column, "name">[];

interface Place {
  readonly tokens: readonly SqlToken[];
  readonly index: number;
  readonly columns: Named;
}

/** A token as it is written into the definition. @throws WriteRejected */
function partOf(token: SqlToken, { tokens, index, columns }: Place): string {
  const { kind, text, isValid } = token;
  if (!isValid) throw refused(`cannot contain ${text}`);
  const isCall = tokens[index + 1]?.text === "(";
  if (kind === "word") return wordOf(token, { tokens, index, columns });
  if (kind === "name" && !isCall) return columnOf(token, { tokens, index, columns });
  // Engines may read a backslash as the beginning of an escape.
  const isText = kind === "text" && !text.includes("\\") && !text.includes("\0");
  if (isText || kind === "number" || (kind === "symbol" && SYMBOLS.has(text))) return text;
  throw refused(`cannot contain ${text}`);
}

function wordOf(token: SqlToken, { tokens, index, columns }: Place): string {
  const word = token.text.toLowerCase();
  const isCall = tokens[index + 1]?.text === "(";
  if (isCall && FUNCTIONS.has(word)) {
    if (SEARCHING.has(word)) requireText(tokens.slice(index + 1), word);
    return word;
  }
  if (isCall && !BEFORE_BRACKET.has(word))
    throw refused(`cannot call ${token.text}. It can call ${[...FUNCTIONS].join(", ")}`);
  if (KEYWORDS.has(word)) return word;
  return isType(tokens, index) && TYPES.has(word) ? word : columnOf(token, { tokens, index, columns });
}

/** Requires that the second argument of a call is a text. @param tokens begin with its bracket */
function requireText(tokens: readonly SqlToken[], name: string): void {
  const depths = bracketDepths(tokens);
  const end = depths.indexOf(0, 1);
  const comma = tokens.slice(0, end).findIndex(({ text }, at) => text === "," && depths[at] === 1);
  if (comma !== -1 && (tokens[comma + 1]?.kind !== "text" || comma + 2 !== end))
    throw refused(`needs a text as second argument of ${name}`);
}

const isType = (tokens: readonly SqlToken[], index: number): boolean => keywordOf(tokens[index - 1]) === "AS";

/** A name after AS, or before a text, is a type of the engine and not a column: `date '2001-01-01'`, `e'a'`. */
function columnOf(token: SqlToken, { tokens, index, columns }: Place): string {
  const next = tokens[index + 1];
  if (isType(tokens, index))
    throw refused(`cannot cast to ${token.text}. It can cast to ${[...TYPES].join(", ")}`);
  if (next?.kind === "text") throw refused(`cannot contain ${token.text}${next.text}`);
  const name = nameOf(token);
  const found = findByName(columns, name);
  if (found === undefined) throw refused(`names ${name}, which is not a column of the table`);
  return quoteIdentifier(found.name);
}

function checkBrackets(tokens: readonly SqlToken[]): void {
  let depth = 0;
  for (const { text } of tokens) {
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth < 0) break;
    if (depth > MOST_BRACKETS) throw refused(`has more than ${MOST_BRACKETS} brackets inside of each other`);
  }
  if (depth !== 0) throw refused("has brackets without their counterpart");
}

const refused = (what: string): WriteRejected => new WriteRejected([`The expression of a check ${what}`]);
