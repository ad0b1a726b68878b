import type { SqlInput, SqlParams } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
import { boundedCache } from "rowhouse/plugin-api/kernel";
import { meaningful, tokenize, type Token } from "./tokens.js";

/** One statement and its tokens. */
export interface Statement {
  /** Without semicolons at its end. */
  readonly tokens: readonly Token[];
  /** The first word in lower case. */
  readonly verb: string;
}

/** A statement as the protocol takes it: `$1`, `$2`, ... and their values as text, or as bytes. */
export interface BoundSql {
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

/** An object with its text for each token, and its share of the numbered text. */
const TOKEN_BYTES = 120;
/** Longer SQL, in characters, is not kept. */
const MAX_KEPT_SQL = 20_000;
/** Of SQL in a message, in characters. */
const LONGEST_SHOWN = 100;

const kept = boundedCache<Statement>(
  "postgres-tokens",
  2_000_000,
  ({ tokens }) => tokens.length * TOKEN_BYTES,
);

/**
 * Parses SQL that consists of one statement.
 *
 * @throws InvalidSql if it contains several statements, none, or one that is not complete
 */
export function singleStatement(sql: string): Statement {
  const known = kept.get(sql);
  if (known !== undefined) return known;
  const statement = parse(sql);
  if (sql.length <= MAX_KEPT_SQL) kept.set(sql, statement);
  return statement;
}

function parse(sql: string): Statement {
  // Only what is not closed contains the last line break. The message of the server would show what is added to the SQL.
  const tokens = tokenize(`${sql}\n`);
  const open = tokens.at(-1)?.text.trimEnd() ?? "";
  if (open !== "") throw new InvalidSql(`unterminated quote or comment: ${open.slice(0, LONGEST_SHOWN)}`);
  const first = tokens.findIndex((token) => !isFiller(token));
  const last = tokens.findLastIndex((token) => !isFiller(token));
  if (first === -1) throw new InvalidSql("There is no statement to execute.");
  const own = tokens.slice(first, last + 1);
  if (own.some(({ kind, text }) => kind === "symbol" && text === ";")) {
    throw new InvalidSql("You can only execute one statement at a time.");
  }
  const opening = meaningful(own).find(({ text }) => text !== "(");
  return { tokens: own, verb: opening?.kind === "word" ? opening.text.toLowerCase() : "" };
}

const isFiller = ({ kind, text }: Token): boolean => kind === "space" || text === ";";

/** Names of the parameters of a statement, each once, without prefix. */
export const parameterNames = ({ tokens }: Statement): readonly string[] => [
  ...new Set(tokens.filter(isNamed).map(({ text }) => text.slice(1))),
];

const isNamed = ({ kind, text }: Token): boolean => kind === "parameter" && !text.startsWith("$");

/**
 * Gives each parameter a number: names in order of appearance, `?` by position. `?` is a parameter only if the values
 * are a list, because it is also an operator of PostgreSQL.
 *
 * @throws SqlFailed for a parameter without a value
 */
export function bind(statement: Statement, params: SqlParams = []): BoundSql {
  if (!isList(params)) return boundBy(byName(statement), (name) => namedValue(name, params));
  if (params.length === 0 && !statement.tokens.some(isNamed))
    return boundBy(asItIs(statement), () => undefined);
  return boundBy(byPosition(statement), (position) => params[Number(position)]);
}

const isList = (params: SqlParams): params is readonly SqlInput[] => Array.isArray(params);

const namedValue = (name: string, params: Readonly<Record<string, SqlInput>>): SqlInput | undefined =>
  Object.hasOwn(params, name) ? params[name] : undefined;

function boundBy({ text, parameters }: Numbered, valueOf: (key: string) => SqlInput | undefined): BoundSql {
  const values = parameters.map(({ key, token }) => {
    const value = valueOf(key);
    if (value === undefined) throw missing(token);
    return wireValue(value);
  });
  return { text, values };
}

/** A statement with the parameters `$1`, `$2`, ..., and what each of them was. */
interface Numbered {
  readonly text: string;
  readonly parameters: readonly NumberedParameter[];
}

interface NumberedParameter {
  /** The name without prefix, or the position from 0. */
  readonly key: string;
  readonly token: string;
}

const asItIs = perStatement((statement) => numbered(statement, () => null));

const byPosition = perStatement((statement) => {
  const named = statement.tokens.find(isNamed);
  if (named !== undefined) throw missing(named.text);
  return numbered(statement, ({ kind, text }, count) =>
    kind === "symbol" && text === "?" ? String(count) : null,
  );
});

const byName = perStatement((statement) =>
  numbered(statement, (token) => (isNamed(token) ? token.text.slice(1) : null)),
);

/** Keeps what `make` has made of each statement: requests run the same ones again and again. */
export function perStatement<T>(make: (statement: Statement) => T): (statement: Statement) => T {
  const known = new WeakMap<Statement, T>();
  return (statement) => {
    const result = known.get(statement) ?? make(statement);
    known.set(statement, result);
    return result;
  };
}

/** @param keyOf the key of a parameter, of which there were `count` before; null for other tokens */
function numbered({ tokens }: Statement, keyOf: (token: Token, count: number) => string | null): Numbered {
  // It would be the value of another parameter, or one that the server misses.
  const own = tokens.find(({ kind, text }) => kind === "parameter" && text.startsWith("$"));
  if (own !== undefined) throw missing(own.text);
  const numbers = new Map<string, number>();
  const parameters: NumberedParameter[] = [];
  const texts = tokens.map((token) => {
    const key = keyOf(token, parameters.length);
    if (key === null) return token.text;
    const number = numbers.get(key) ?? parameters.push({ key, token: token.text });
    numbers.set(key, number);
    return `$${number}`;
  });
  return { text: texts.join(""), parameters };
}

const missing = (parameter: string): SqlFailed =>
  new SqlFailed(`You did not supply a value for binding parameter ${parameter}.`, "other");

/** Text of a value. PostgreSQL infers the type of a parameter from its place in the statement. */
export function wireValue(value: SqlInput): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Real) return realWire(value);
  if (typeof value === "string" && value.includes("\0")) {
    throw new SqlFailed("Text in PostgreSQL can't contain the character U+0000", "value");
  }
  if (!["string", "number", "bigint", "boolean"].includes(typeof value)) {
    throw new SqlFailed("A parameter must be text, a number, a bigint, a boolean, a BLOB or null", "other");
  }
  return String(value);
}

function realWire(value: Real): string {
  if (Number.isFinite(value.value)) return String(value);
  return Number.isNaN(value.value) ? "NaN" : value.value > 0 ? "Infinity" : "-Infinity";
}
