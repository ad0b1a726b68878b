import type { SqlInput, SqlParams } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
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

/**
 * Parses SQL that consists of one statement.
 *
 * @throws InvalidSql if it contains several statements, or none
 */
export function singleStatement(sql: string): Statement {
  const tokens = tokenize(sql);
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
 * are a list, because it is also an operator of Postgres.
 *
 * @throws SqlFailed for a parameter without a value
 */
export function bind(statement: Statement, params: SqlParams = []): BoundSql {
  const values: (string | Buffer | null)[] = [];
  // It would be the value of another parameter, or one that the server misses.
  const numbered = statement.tokens.find(({ kind, text }) => kind === "parameter" && text.startsWith("$"));
  if (numbered !== undefined) throw missing(numbered.text);
  const text = isList(params) ? bindList(statement, params, values) : bindNames(statement, params, values);
  return { text, values };
}

const isList = (params: SqlParams): params is readonly SqlInput[] => Array.isArray(params);

function bindList(
  { tokens }: Statement,
  params: readonly SqlInput[],
  values: (string | Buffer | null)[],
): string {
  if (params.length === 0 && !tokens.some(isNamed)) return joined(tokens);
  let position = 0;
  return tokens
    .map((token) => {
      if (isNamed(token)) throw missing(token.text);
      if (token.kind !== "symbol" || token.text !== "?") return token.text;
      const value = params[position];
      if (value === undefined) throw missing("?");
      position += 1;
      values.push(wireValue(value));
      return `$${values.length}`;
    })
    .join("");
}

function bindNames(
  { tokens }: Statement,
  params: Readonly<Record<string, SqlInput>>,
  values: (string | Buffer | null)[],
): string {
  const numbers = new Map<string, number>();
  return tokens
    .map((token) => {
      if (!isNamed(token)) return token.text;
      const name = token.text.slice(1);
      const known = numbers.get(name);
      if (known !== undefined) return `$${known}`;
      const value = Object.hasOwn(params, name) ? params[name] : undefined;
      if (value === undefined) throw missing(token.text);
      numbers.set(name, values.push(wireValue(value)));
      return `$${values.length}`;
    })
    .join("");
}

const joined = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join("");

const missing = (parameter: string): SqlFailed =>
  new SqlFailed(`You did not supply a value for binding parameter ${parameter}.`, "other");

/** Text of a value. Postgres infers the type of a parameter from its place in the statement. */
export function wireValue(value: SqlInput): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Real) return realWire(value);
  if (typeof value === "string" && value.includes("\0")) {
    throw new SqlFailed("Text with the character U+0000 can't be stored", "other");
  }
  return String(value);
}

function realWire(value: Real): string {
  if (Number.isFinite(value.value)) return String(value);
  return Number.isNaN(value.value) ? "NaN" : value.value > 0 ? "Infinity" : "-Infinity";
}
