import type { Column } from "./schema.js";

/**
 * A REAL as SQLite stores it, kept apart from INTEGER: `new Real(12)` is `12.0`, the number 12 is `12`.
 * It is a number in arithmetic and in `JSON.stringify`; `String` returns {@link realText}.
 *
 * @example
 * jsonText([new Real(12), 12]); // "[12.0, 12]"
 */
export class Real {
  constructor(readonly value: number) {}

  valueOf(): number {
    return this.value;
  }

  toJSON(): number {
    return this.value;
  }

  toString(): string {
    return realText(this.value);
  }
}

/**
 * A value with a text of its own, which is also its JSON: a decimal number with more digits than the text of a double, or a
 * boolean. Its `value` is the nearest finite double, also beyond the range of doubles.
 *
 * @example
 * jsonText([new Exact("12.50"), new Exact("true")]); // "[12.50, true]"
 */
export class Exact extends Real {
  constructor(readonly text: string) {
    super(text === "true" ? 1 : text === "false" ? 0 : nearestFinite(Number(text)));
  }

  override toString(): string {
    return this.text;
  }
}

const nearestFinite = (value: number): number =>
  Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));

/**
 * The bytes of a TEXT that is not valid UTF-8, which SQLite can store. Only reads with `malformedText: "bytes"` return
 * it, and only `encodeRows` writes it as TEXT again.
 */
export class TextBytes extends Uint8Array {}

/**
 * A long BLOB of which only the size was read. Only pages whose renderer has `longBlobs` among its wants contain it.
 *
 * @example
 * const cover = new UnreadBlob(3, async function* () {
 *   yield new Uint8Array([1, 2, 3]);
 * });
 * [cover.size, cover.length]; // [3, 0]
 */
export class UnreadBlob extends Uint8Array {
  /**
   * @param size in bytes
   * @param pieces reads the bytes, in one snapshot; there are none if the value has another size meanwhile
   */
  constructor(
    readonly size: number,
    readonly pieces: () => AsyncIterable<Uint8Array>,
  ) {
    super(0);
  }
}

/**
 * An exact value of a database: INTEGER is a `number` when it is a safe integer and a
 * `bigint` otherwise, REAL is a {@link Real}, TEXT a string, BLOB bytes.
 */
export type SqlValue = null | number | bigint | Real | string | Uint8Array;

/**
 * A value that can be bound to a parameter. A `number` that is a safe integer is bound as INTEGER, any other `number` as
 * REAL; booleans are bound as 1 and 0.
 */
export type SqlInput = SqlValue | boolean;

/** Positional values for `?`, or named ones (bare names) for `:name`, `@name` and `$name`. */
export type SqlParams = readonly SqlInput[] | Readonly<Record<string, SqlInput>>;

/**
 * The shortest decimal text that parses to the same double, always recognisable as a REAL:
 * `12.0`, `0.1`, `1e+16`, `1e-07`, `-0.0`, `inf`, `-inf`.
 * Plain notation for exponents -4 to 15, two exponent digits at least, otherwise.
 *
 * @example
 * realText(12); // "12.0"
 * realText(1e16); // "1e+16"
 */
export function realText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e16) {
    // `String` writes exponents only below 1e-6 and from 1e21.
    const text = String(value);
    return text.includes(".") ? text : `${text}.0`;
  }
  const [mantissa, exponent = "+0"] = value.toExponential().split("e");
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/**
 * True for an INTEGER or REAL, and for a number of exact JSON.
 *
 * @example
 * isNumber(new Real(0.5)); // true
 * isNumber("0.5"); // false
 */
export const isNumber = (value: unknown): value is number | bigint | Real =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Real;

/**
 * True for an object that is neither null nor an array, as JSON has them.
 *
 * @example
 * isObject({}); // true
 * isObject([]); // false
 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * True for objects that are no instances of a class.
 *
 * @example
 * isPlainObject({ id: 1 }); // true
 * isPlainObject(new Map()); // false
 */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/**
 * The key of a value in the labels that `tables.labels` returns: its text, and the hex form of bytes, of which different
 * ones may have the same text.
 *
 * @example
 * labelKey(5); // "5"
 * labelKey(new Uint8Array([255])); // "x'ff'"
 */
export const labelKey = (value: SqlValue): string =>
  value instanceof Uint8Array ? `x'${Buffer.from(value).toString("hex")}'` : String(value);

const AFFINITIES_OF_NUMBERS: ReadonlySet<Column["affinity"]> = new Set(["integer", "real", "numeric"]);

/**
 * True for a column of numbers, which converts the text of a number to a number.
 *
 * @example
 * holdsNumbers({ affinity: "numeric" }); // true
 */
export const holdsNumbers = ({ affinity }: Pick<Column, "affinity">): boolean =>
  AFFINITIES_OF_NUMBERS.has(affinity);
