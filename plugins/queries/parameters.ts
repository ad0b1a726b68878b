import { BadRequest, jsonText, type Request, type SqlInput } from "rowhouse/plugin-api";
import { Real, type Dialect } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { escapedBytes, queryPairs } from "rowhouse/plugin-api/http";
import { parseJsonTree, type JsonObject, type JsonValue } from "rowhouse/plugin-api/json";

/** Values of a statement by parameter name. A map, because a parameter may have any name. */
export type Values = ReadonlyMap<string, SqlInput>;

/** Arguments of a query URL that are not parameters. */
const NOT_PARAMETERS = new Set(["sql", "_shape"]);

/**
 * The values in the URL by name, those of `_params` before arguments; empty text for other names of the form.
 *
 * @throws BadRequest for an invalid `_params`
 */
export function sentValues(request: Request, names: readonly string[]): Values {
  const sent = new Map([...argumentValues(request), ...typedValues(request)]);
  for (const name of names) if (!sent.has(name)) sent.set(name, "");
  return sent;
}

/** Every argument of the URL as text, or as bytes when they are not UTF-8; of repeated ones the first counts. */
function argumentValues(request: Request): Values {
  const values = new Map<string, SqlInput>();
  for (const [name, value] of queryPairs(request)) {
    if (!NOT_PARAMETERS.has(name) && !values.has(name)) values.set(name, escapedBytes(value) ?? value);
  }
  return values;
}

/**
 * Typed values from the argument `_params`, a JSON object.
 *
 * @throws BadRequest if it is not a JSON object, and for text that UTF-8 cannot encode
 */
function typedValues(request: Request): Values {
  const text = request.query.get("_params");
  if (text === null || text === "") return new Map();
  const members = objectIn(text);
  if (members === null) throw new BadRequest("_params must be a JSON object");
  return new Map([...members].map(([name, value]) => [name, boundForm(encodable(name, value))]));
}

/** Null for other JSON, and for text that is not JSON. */
function objectIn(text: string): JsonObject | null {
  try {
    const value = parseJsonTree(text);
    return value instanceof Map ? value : null;
  } catch {
    return null;
  }
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

/** @returns `value`. @throws BadRequest for text that UTF-8 cannot encode: the driver would store U+FFFD */
export function encodable(name: string, value: JsonValue): JsonValue {
  if (typeof value !== "string" || value.isWellFormed()) return value;
  throw new BadRequest(`The value of ${name} has a surrogate without its pair`);
}

/** A JSON value as it is bound: lists and objects are JSON text, integers beyond 64 bits are REAL. */
function boundForm(value: JsonValue): SqlInput {
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) return new Real(Number(value));
  return typeof value === "object" && value !== null && !(value instanceof Real) ? jsonText(value) : value;
}
