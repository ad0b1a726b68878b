import { BadRequest, isObject, jsonText, type Request, type SqlInput } from "rowhouse/plugin-api";
import { Real, type Dialect } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { escapedBytes, queryPairs } from "rowhouse/plugin-api/http";

/** Values of a statement by parameter name. A map, because a parameter may have any name. */
export type Values = ReadonlyMap<string, SqlInput>;

/** Arguments of a query URL that are not parameters. */
const NOT_PARAMETERS = new Set(["sql", "_shape"]);

/** Every argument of the URL as text, or as bytes when they are not UTF-8; of repeated ones the first counts. */
export function argumentValues(request: Request): Values {
  const values = new Map<string, SqlInput>();
  for (const [name, value] of queryPairs(request)) {
    if (!NOT_PARAMETERS.has(name) && !values.has(name)) values.set(name, escapedBytes(value) ?? value);
  }
  return values;
}

/**
 * Typed values from the argument `_params`, a JSON object.
 *
 * @throws BadRequest if it is not a JSON object
 */
export function typedValues(request: Request): Values {
  const text = request.query.get("_params");
  if (text === null || text === "") return new Map();
  const members = jsonMembers(text);
  if (members === null) throw new BadRequest("_params must be a JSON object");
  return new Map(members.map(([name, value, digits]) => [name, digits === null ? value : numberOf(digits)]));
}

const INTEGER_LIMIT = 2n ** 63n;

/** An INTEGER if written as one and in range, else a REAL. */
function numberOf(digits: string): SqlInput {
  if (!/^-?\d+$/.test(digits)) return new Real(Number(digits));
  const integer = BigInt(digits);
  if (Number.isSafeInteger(Number(integer))) return Number(integer);
  return integer >= -INTEGER_LIMIT && integer < INTEGER_LIMIT ? integer : new Real(Number(digits));
}

/** The fields of a query's form: its `params`, else the parameters in its SQL; without names that begin with `_`. */
export const formParameters = (
  dialect: Dialect,
  sql: string,
  listed: readonly string[] | undefined,
): readonly string[] => (listed ?? namesIn(dialect, sql)).filter((name) => !name.startsWith("_"));

/** The names of the `:name` parameters, each once. */
const namesIn = (dialect: Dialect, sql: string): readonly string[] => [
  ...new Set(
    dialect
      .parameters(sql)
      .filter((text) => text.startsWith(":"))
      .map((text) => text.slice(1)),
  ),
];

/** Adds empty text for every name that has no value. */
export function withBlanks(values: Values, names: readonly string[]): Values {
  const missing = names.filter((name) => !values.has(name));
  return new Map([...values, ...missing.map((name) => [name, ""] as const)]);
}

/** Parameter names of a statement without prefix, in order of appearance. */
export function boundNames(dialect: Dialect, sql: string): readonly string[] {
  const parameters = dialect.parameters(sql);
  const positional = parameters.findIndex((text) => text.startsWith("?"));
  if (positional !== -1) {
    throw new InvalidSql(
      `Binding ${positional + 1} has no name, but you supplied a dictionary (which has only names).`,
    );
  }
  return [...new Set(parameters.map((text) => text.slice(1)))];
}

/**
 * The values that a statement binds, without others.
 *
 * @throws InvalidSql for the first parameter without a value, or for a positional parameter
 */
export function boundValues(
  dialect: Dialect,
  sql: string,
  values: Values,
): Readonly<Record<string, SqlInput>> {
  const entries = boundNames(dialect, sql).map((name): [string, SqlInput] => {
    const value = values.get(name);
    if (value === undefined) {
      throw new InvalidSql(`You did not supply a value for binding parameter :${name}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** A member of a JSON object. Objects and arrays are JSON text; `digits` is the source text of a number. */
export type JsonMember = readonly [name: string, value: SqlInput, digits: string | null];

/** Parses a JSON object into its members; null if `text` is not an object or too deeply nested. */
export function jsonMembers(text: string): readonly JsonMember[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return null;
    const asWritten: unknown = JSON.parse(text.replace(STRING_OR_NUMBER, quoteNumber));
    return Object.entries(parsed).map(([name, value]): JsonMember => {
      const isNumber = typeof value === "number" && isObject(asWritten);
      return [name, boundForm(value), isNumber ? String(asWritten[name]) : null];
    });
  } catch {
    return null;
  }
}

function boundForm(value: unknown): SqlInput {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === null || value === undefined ? null : jsonText(value);
}

/** Quotes numbers before parsing, so that each keeps its original digits. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const quoteNumber = (token: string): string => (token.startsWith('"') ? token : `"${token}"`);
