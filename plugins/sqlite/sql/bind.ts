import { Real, SqlFailed, type SqlInput, type SqlParams } from "rowhouse/plugin-api";
import type { Statement } from "./statement.js";
import type { Token } from "./tokenizer.js";

/** What the driver carries unspoilt: text, bytes, NULL, 32-bit integers and other doubles. */
export type DriverValue = null | number | string | Uint8Array;

/** SQL whose parameters are `?1`, `?2`, … and the value of each. */
export interface BoundSql {
  readonly sql: string;
  readonly values: readonly DriverValue[];
}

/**
 * Puts values in place of a statement's parameters. What the driver would spoil travels as text through a
 * cast, or as a literal. Values nobody asks for are ignored.
 *
 * @throws SqlFailed when a parameter has no value
 */
export function bind(statement: Statement, params: SqlParams = []): BoundSql {
  const values: DriverValue[] = [];
  const places = new Map<string | number, string>();
  let sql = "";
  let copied = 0;
  for (const { token, key } of parameterKeys(statement.tokens)) {
    let place = places.get(key);
    if (place === undefined) {
      place = placeFor(valueOf(token, key, params), values);
      places.set(key, place);
    }
    sql += statement.sql.slice(copied, token.start) + place;
    copied = token.end;
  }
  return { sql: sql + statement.sql.slice(copied), values };
}

/** Names of a statement's parameters in order of appearance, without prefix, each once. */
export function parameterNames(statement: Statement): readonly string[] {
  const names = statement.tokens.filter(isParameter).map(({ text }) => text.slice(1));
  return [...new Set(names.filter((name) => name !== "" && !/^[0-9]/.test(name)))];
}

const isParameter = ({ kind }: Token): boolean => kind === "parameter";

interface KeyedParameter {
  readonly token: Token;
  /** Position from 1 as SQLite counts it, or the bare name. */
  readonly key: string | number;
}

/** `?` takes the next free position, `?5` the fifth, and a name the next free one where it first stands. */
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

/** The SQL that stands for a value; what it refers to is appended to `values`. */
function placeFor(value: SqlInput, values: DriverValue[]): string {
  const parameter = (carried: DriverValue): string => `?${values.push(carried)}`;
  // A plus sign takes the cast's affinity away again: the value compares as a bare parameter would.
  const cast = (carried: DriverValue, type: "integer" | "real"): string =>
    `(+cast(${parameter(carried)} as ${type}))`;
  if (value === null || typeof value === "string") return parameter(value);
  if (typeof value === "boolean") return parameter(value ? 1 : 0);
  if (typeof value === "bigint") return cast(int64Text(value), "integer");
  if (value instanceof Real) return realPlace(value.value, parameter, cast);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return realPlace(value, parameter, cast);
    return isInt32(value) ? parameter(value | 0) : cast(String(value), "integer");
  }
  return parameter(value);
}

function realPlace(
  value: number,
  parameter: (carried: DriverValue) => string,
  cast: (carried: DriverValue, type: "real") => string,
): string {
  if (Object.is(value, -0)) return "(-0.0)";
  // The driver would make an INTEGER of a double that fits 32 bits.
  return isInt32(value) ? cast(value, "real") : parameter(value);
}

const isInt32 = (value: number): boolean => (value | 0) === value;

function int64Text(value: bigint): string {
  if (BigInt.asIntN(64, value) === value) return String(value);
  throw new SqlFailed(`${value} does not fit a 64-bit integer`, "other");
}
