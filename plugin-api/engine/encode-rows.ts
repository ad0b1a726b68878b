import { Exact, Real, realText, TextBytes, type SqlValue } from "./values.js";

/** Rows as one JSON text, from which `Dialect.packedRows` reads the same values. */
export interface EncodedRows {
  readonly columns: readonly string[];
  readonly count: number;
  /** An array with one array per row. */
  readonly json: string;
  /** One letter per column, as `Dialect.packedRows` takes them. */
  readonly kinds: string;
}

/** Consecutive rows that have the same columns. */
export interface RowRun {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** What the engine keeps of a number with a point: `Definitions.numbers`. */
type KeptNumbers = "doubles" | "decimals";

/**
 * Encodes the values of a run. Decoding in SQL returns exactly the same values, to the last bit, or to the last digit.
 *
 * @example
 * encodeRows({ columns: ["id", "title"], rows: [[1, "Emma"]] }).json; // '[[1,"Emma"]]'
 */
export function encodeRows(run: RowRun, numbers: KeptNumbers = "doubles"): EncodedRows {
  const { columns, rows } = run;
  return { columns, count: rows.length, json: `[${rowArrays(run, numbers).join()}]`, kinds: cellKinds(run) };
}

/**
 * Each row as a JSON array.
 *
 * @example
 * rowArrays({ columns: ["id", "title"], rows: [[1, "Emma"]] }); // ['[1,"Emma"]']
 */
export function rowArrays({ rows }: RowRun, numbers: KeptNumbers = "doubles"): readonly string[] {
  const encodeNumber = numbers === "doubles" ? encodeReal : encodeDecimal;
  return rows.map((row) => `[${row.map((value) => encodeValue(value, encodeNumber)).join()}]`);
}

/**
 * One letter per column: `t` if one of its values is a TEXT that is not valid UTF-8, `b` if one is a BLOB, else `v`.
 *
 * @example
 * cellKinds({ columns: ["id", "cover"], rows: [[1, new Uint8Array([255])]] }); // "vb"
 */
export const cellKinds = ({ columns, rows }: RowRun): string =>
  columns
    .map((_, index) => {
      if (!rows.some((row) => row[index] instanceof Uint8Array)) return "v";
      return rows.some((row) => row[index] instanceof TextBytes) ? "t" : "b";
    })
    .join("");

function encodeValue(value: SqlValue, encodeNumber: (value: Real) => string): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Real) return encodeNumber(value);
  if (value instanceof TextBytes) return `[["${Buffer.from(value).toString("hex")}"]]`;
  if (value instanceof Uint8Array) return `["${Buffer.from(value).toString("hex")}"]`;
  return String(value);
}

function encodeReal({ value }: Real): string {
  if (Object.is(value, -0)) return "-0.0";
  // SQLite stores NULL for it.
  if (Number.isNaN(value)) return "null";
  // JSON has no word for infinities; SQLite reads this number as one.
  if (!Number.isFinite(value)) return value > 0 ? "9e999" : "-9e999";
  return Number.isSafeInteger(value) ? `${value}.0` : exactDecimal(value);
}

/** SQLite 3.52 parses decimals with so many digits, and so many of them after the point, to the nearest double. */
const [SAFE_DIGITS, SAFE_DECIMALS] = [15, 5];

/**
 * The decimal form of a finite double that SQLite parses to the same double. SQLite 3.52 parses about one in ten thousand of
 * the shortest forms to a neighbour (2.505606 to 2.5056059999999998), but none with 19 digits.
 *
 * @example
 * exactDecimal(0.25); // "0.25"
 * exactDecimal(2.505606); // "2.505606000000000222e+0"
 */
export function exactDecimal(value: number): string {
  const shortest = String(value);
  return isParsedExactly(shortest) ? shortest : value.toExponential(18);
}

/**
 * True for decimals that SQLite parses to the nearest double, as far as their length tells.
 *
 * @example
 * isParsedExactly("12.50"); // true
 */
export function isParsedExactly(decimal: string): boolean {
  const point = decimal.indexOf(".");
  if (decimal.length > SAFE_DIGITS || point < 0) return false;
  return decimal.length - point - 1 <= SAFE_DECIMALS && !/e/i.test(decimal);
}

const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * The shortest text of a double, or the digits of an exact number. Engines that read the numbers of JSON as decimals know
 * no exponents, infinities and negative zeros, so these are JSON texts.
 */
function encodeDecimal(real: Real): string {
  const text = decimalText(real);
  return PLAIN_DECIMAL.test(text) && !Object.is(real.value, -0) ? text : `"${text}"`;
}

function decimalText(real: Real): string {
  if (real instanceof Exact) return real.text;
  return Number.isFinite(real.value) ? realText(real.value) : String(real.value);
}
