import { isArray, isObject, showJson, type Json } from "./lossless-json.js";
import { placeholderTime } from "./signing.js";

/** One place where an answer is not what was recorded. */
export interface Difference {
  /** `status`, `header link`, `body` or a JSON pointer. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
}

/** How strictly two JSON values are compared. */
export interface Comparison {
  /** JSON pointer -> required beginning of a text that may otherwise differ. */
  readonly soft: Readonly<Record<string, string>>;
  /** The answer's outermost object may have more keys. */
  readonly subset: boolean;
  /** The Unix time of `{{now}}`. */
  readonly now: number;
}

/** Every place where `got` differs from `expected`, in the order of the expected document. */
export function compareJson(expected: Json, got: Json | undefined, comparison: Comparison): Difference[] {
  return [...differences(expected, got, "", comparison)];
}

function* differences(
  expected: Json | undefined,
  got: Json | undefined,
  pointer: string,
  comparison: Comparison,
): Generator<Difference> {
  const beginning = comparison.soft[pointer];
  if (beginning !== undefined) {
    if (!isSoftText(got, beginning))
      yield differ(pointer, `text beginning ${JSON.stringify(beginning)}`, got);
    return;
  }
  if (typeof expected === "string" && expected.startsWith("{{")) {
    if (!fitsPlaceholder(expected, got, comparison.now)) yield differ(pointer, expected, got);
    return;
  }
  if (isArray(expected) && isArray(got)) {
    const length = Math.max(expected.length, got.length);
    for (let index = 0; index < length; index++) {
      yield* differences(expected[index], got[index], `${pointer}/${index}`, comparison);
    }
    return;
  }
  if (isObject(expected) && isObject(got)) {
    for (const key of keysOf(expected, got, comparison.subset)) {
      yield* differences(
        property(expected, key),
        property(got, key),
        `${pointer}/${escaped(key)}`,
        comparison,
      );
    }
    return;
  }
  if (!equalScalars(expected, got)) yield differ(pointer, showJson(expected), got);
}

const differ = (pointer: string, expected: string, got: Json | undefined): Difference => ({
  where: pointer === "" ? "json (whole body)" : `json ${pointer}`,
  expected,
  got: showJson(got),
});

const keysOf = (expected: object, got: object, expectedOnly: boolean): Iterable<string> =>
  expectedOnly ? Object.keys(expected) : new Set([...Object.keys(expected), ...Object.keys(got)]);

const property = (value: Readonly<Record<string, Json>>, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const isSoftText = (value: Json | undefined, beginning: string): boolean =>
  typeof value === "string" && value !== "" && value.startsWith(beginning);

function fitsPlaceholder(placeholder: string, got: Json | undefined, now: number): boolean {
  if (got === undefined) return false;
  if (placeholder === "{{query_ms}}") return typeof got === "number";
  const time = placeholderTime(placeholder, now);
  if (time === null) return ANYTHING.has(placeholder) || placeholder === got;
  return typeof got === "number" && Math.abs(got - time) <= 1;
}

const ANYTHING = new Set(
  ["size", "path", "hash", "color", "version", "text", "any"].map((word) => `{{${word}}}`),
);

/** `1` and `1.0` are equal; a `bigint` beyond 2^53 equals only a double of exactly that value. */
function equalScalars(expected: Json | undefined, got: Json | undefined): boolean {
  if (typeof expected === "number" && typeof got === "bigint") return isSameInteger(expected, got);
  if (typeof expected === "bigint" && typeof got === "number") return isSameInteger(got, expected);
  return expected === got;
}

const isSameInteger = (double: number, integer: bigint): boolean =>
  Number.isInteger(double) && BigInt(double) === integer;
