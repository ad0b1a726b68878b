import type { SqlInput, SqlParams } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
import { ENTRY_BYTES, StatementCache } from "./statement-caches.js";
import { tokenize, wordOf, type Token } from "./tokens.js";

/** One SQL statement and its tokens. */
export interface Statement {
  /** Without the spaces, comments and semicolons around it. */
  readonly sql: string;
  /** Without spaces and comments. Positions refer to `sql`. */
  readonly tokens: readonly Token[];
  /** The first word in lower case; empty when it is not a word. */
  readonly verb: string;
  /** True if every quote and every parenthesis is closed, so that it can be part of another statement. */
  readonly wellFormed: boolean;
}

// An object with its text for each token.
const TOKEN_BYTES = 100;

// A page runs the same statements for each request. Long ones, such as bulk inserts, rarely repeat.
const statementCache = new StatementCache<Statement>({ name: "sql-tokens", share: 0.5 });

const bytesOf = ({ sql, tokens }: Statement): number =>
  sql.length + tokens.length * TOKEN_BYTES + ENTRY_BYTES;
/** Longer SQL, in characters, is not cached. */
export const MAX_CACHED_SQL = 20_000;

/**
 * Parses SQL that consists of one statement.
 *
 * @throws InvalidSql if it contains several statements, or none
 */
export function singleStatement(sql: string): Statement {
  const cached = statementCache.entries.get(sql);
  if (cached !== undefined) return cached;
  const statement = readStatement(sql);
  if (sql.length <= MAX_CACHED_SQL) statementCache.entries.set(sql, statement, { size: bytesOf(statement) });
  return statement;
}

/** The same; null for SQL that `singleStatement` rejects. */
export function statementOrNull(sql: string): Statement | null {
  try {
    return singleStatement(sql);
  } catch {
    return null;
  }
}

/** True for statements that cannot be part of another statement. */
export const isExplainOrPragma = ({ verb }: Statement): boolean => verb === "explain" || verb === "pragma";

/** Where the statement begins that an EXPLAIN explains. */
export const explainedAt = ({ tokens }: Statement): 1 | 3 =>
  wordOf(tokens[1]) === "query" && wordOf(tokens[2]) === "plan" ? 3 : 1;

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
    verb: wordOf(tokens[0]),
    wellFormed: isWellFormed(tokens),
  };
}

/** The body of a trigger contains semicolons. Its definition ends with the word `end`. */
function isTriggerDefinition(tokens: readonly Token[]): boolean {
  const [first, second, third] = tokens.slice(0, 3).map(wordOf);
  const creates = first === "create" && (second === "trigger" || third === "trigger");
  if (!creates || wordOf(tokens.at(-1)) !== "end") return false;
  const ends = tokens.filter(
    (token, index) => wordOf(token) === "end" && tokens[index - 1]?.kind === "semicolon",
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

/** Values that the driver binds without change: text, bytes, NULL, 32-bit integers, and doubles that are not integers. */
export type DriverValue = null | number | string | Uint8Array;

/** SQL with its tokens, of which only the parameters are needed. */
export type BindableSql = Pick<Statement, "sql" | "tokens">;

/** SQL with the parameters `?1`, `?2`, ... and their values. */
export interface BoundSql {
  readonly sql: string;
  readonly values: readonly DriverValue[];
}

/**
 * Assigns values to the parameters of a statement. Values that the driver would change are bound as text with a cast,
 * or written as literals. Values without a parameter are ignored.
 *
 * @throws SqlFailed if a parameter has no value
 */
export function bind(statement: BindableSql, params: SqlParams = []): BoundSql {
  const values: DriverValue[] = [];
  const sqlByKey = new Map<string | number, string>();
  let sql = "";
  let copied = 0;
  for (const { token, key } of parameterKeys(statement.tokens)) {
    let valueSql = sqlByKey.get(key);
    if (valueSql === undefined) {
      valueSql = sqlOf(valueOf(token, key, params), values);
      sqlByKey.set(key, valueSql);
    }
    sql += statement.sql.slice(copied, token.start) + valueSql;
    copied = token.end;
  }
  return { sql: sql + statement.sql.slice(copied), values };
}

/** Names of a statement's parameters in order of appearance, without prefix, each once. */
export function parameterNames(statement: Statement): readonly string[] {
  const names = statement.tokens.filter(isParameter).map(({ text }) => text.slice(1));
  return [...new Set(names.filter((name) => name !== "" && !/^[0-9]/.test(name)))];
}

/** True for `?`, `?1`, `:name`, `@name` and `$name`. */
export const isParameter = ({ kind }: Token): boolean => kind === "parameter";

interface KeyedParameter {
  readonly token: Token;
  /** Position from 1 as SQLite counts it, or the bare name. */
  readonly key: string | number;
}

/** `?` is the next free position, `?5` the fifth, and a name takes the next free position where it first occurs. */
function parameterKeys(tokens: readonly Token[]): readonly KeyedParameter[] {
  let highest = 0;
  const named = new Set<string>();
  return tokens.filter(isParameter).map((token) => {
    if (!token.text.startsWith("?")) {
      if (!named.has(token.text)) highest += 1;
      named.add(token.text);
      return { token, key: token.text.slice(1) };
    }
    const position = token.text === "?" ? highest + 1 : Number(token.text.slice(1));
    highest = Math.max(highest, position);
    return { token, key: position };
  });
}

function valueOf(token: Token, key: string | number, params: SqlParams): SqlInput {
  const value = Array.isArray(params) ? arrayValue(key, params) : namedValue(key, params);
  if (value !== undefined) return value;
  throw new SqlFailed(`You did not supply a value for binding parameter ${token.text}.`, "other");
}

const arrayValue = (key: string | number, params: readonly SqlInput[]): SqlInput | undefined =>
  typeof key === "number" ? params[key - 1] : undefined;

const namedValue = (key: string | number, params: SqlParams): SqlInput | undefined =>
  typeof key === "string" && Object.hasOwn(params, key)
    ? (params as Readonly<Record<string, SqlInput>>)[key]
    : undefined;

/** The SQL of a value. Appends what the driver has to bind to `values`. */
function sqlOf(value: SqlInput, values: DriverValue[]): string {
  const parameter = (bound: DriverValue): string => `?${values.push(bound)}`;
  // The plus sign removes the affinity of the cast, so that the value compares like a parameter.
  const cast = (bound: DriverValue, type: "integer" | "real"): string =>
    `(+cast(${parameter(bound)} as ${type}))`;
  if (value === null || typeof value === "string") return parameter(value);
  if (typeof value === "boolean") return parameter(value ? 1 : 0);
  if (typeof value === "bigint") return cast(int64Text(value), "integer");
  if (value instanceof Real) return realSql(value.value, parameter, cast);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return realSql(value, parameter, cast);
    return isInt32(value) ? parameter(value | 0) : cast(String(value), "integer");
  }
  if (value instanceof Uint8Array) return parameter(value);
  // The driver would bind the text `[object Object]`, and a date as a number.
  throw new SqlFailed("A parameter must be text, a number, a bigint, a boolean, a BLOB or null", "other");
}

function realSql(
  value: number,
  parameter: (bound: DriverValue) => string,
  cast: (bound: DriverValue, type: "real") => string,
): string {
  if (Object.is(value, -0)) return "(-0.0)";
  // The driver binds a double that fits 32 bits as an INTEGER.
  return isInt32(value) ? cast(value, "real") : parameter(value);
}

const isInt32 = (value: number): boolean => (value | 0) === value;

function int64Text(value: bigint): string {
  if (BigInt.asIntN(64, value) === value) return String(value);
  throw new SqlFailed(`${value} does not fit a 64-bit integer`, "other");
}
