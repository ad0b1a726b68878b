import { BadRequest, type Request } from "rowhouse/plugin-api";
import type { InfinityForm } from "rowhouse/plugin-api/json";
import { switchedTo } from "rowhouse/plugin-api/kernel";

/** The published values of `_shape`. */
type Shape = "arrays" | "objects" | "array" | "arrayfirst" | "object";

const SHAPES: readonly string[] = ["arrays", "objects", "array", "arrayfirst", "object"] satisfies Shape[];

/** The arguments of a request that determine the form of its JSON. */
export interface JsonArguments {
  readonly shape: Shape;
  /** One object per line instead of one array. */
  readonly newlines: boolean;
  /** Columns whose text is embedded as JSON. */
  readonly parsed: ReadonlySet<string>;
  readonly infinity: InfinityForm;
  /** Integers that a double can't represent are written as strings. */
  readonly bigintText: boolean;
}

/**
 * Parses `_shape`, `_nl`, `_json`, `_json_infinity` and `_bigint`. Of repeated arguments the first is used.
 *
 * @throws BadRequest for an invalid value
 */
export function jsonArguments({ query }: Request): JsonArguments {
  const shape = query.get("_shape") ?? defaultShape(query);
  if (!isShape(shape)) throw new BadRequest(`Invalid _shape: ${shape}`);
  return { shape, ...otherArguments(query), infinity: infinityForm(query.get("_json_infinity")) };
}

/** The same before it is known whether the arguments apply to the page: invalid values are ignored. */
export function lenientArguments({ query }: Request): JsonArguments {
  const shape = query.get("_shape") ?? defaultShape(query);
  const written = query.get("_json_infinity");
  const infinity = written !== null && switchedTo(written) === true ? "words" : "null";
  return { shape: isShape(shape) ? shape : "arrays", ...otherArguments(query), infinity };
}

/** Defaults, for documents that ignore these arguments. */
export const NO_ARGUMENTS: JsonArguments = {
  shape: "arrays",
  newlines: false,
  parsed: new Set(),
  infinity: "null",
  bigintText: false,
};

/** The document with `_extra` has its rows as objects. */
const defaultShape = (query: URLSearchParams): Shape => (query.has("_extra") ? "objects" : "arrays");

const isShape = (text: string): text is Shape => SHAPES.includes(text);

const otherArguments = (query: URLSearchParams) => ({
  newlines: Boolean(query.get("_nl")),
  parsed: new Set(query.getAll("_json")),
  bigintText: query.get("_bigint") === "text",
});

function infinityForm(text: string | null): InfinityForm {
  if (text === null) return "null";
  const on = switchedTo(text);
  if (on === null) throw new BadRequest("_json_infinity must be one of on, off, true, false, 1, 0");
  return on ? "words" : "null";
}

/** The distinct names in `_extra`, repeated or separated by commas; null without the argument (default document). */
export function requestedExtras({ query }: Request): readonly string[] | null {
  if (!query.has("_extra")) return null;
  const names = query.getAll("_extra").flatMap((value) => value.split(","));
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}
