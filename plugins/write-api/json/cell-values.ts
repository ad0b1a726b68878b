import { WriteRejected, type Column, type Request, type SqlValue, type Table } from "rowhouse/plugin-api";
import {
  columnOf,
  holdsNumbers,
  isParsedExactly,
  Real,
  realText,
  type Dialect,
  type EncodedRows,
  type RowRun,
} from "rowhouse/plugin-api/engine";
import { joinedInSlices, TimeSlices } from "rowhouse/plugin-api/http";
import { jsonPieces, parseExactJson, type JsonObject, type JsonValue } from "rowhouse/plugin-api/json";

/** The values to store in a row, by column. Columns that the client did not send are missing. */
export type RowValues = ReadonlyMap<string, SqlValue>;

/**
 * What a column stores of JSON: documents, with `true` as this word and all digits of integers; numbers with all digits;
 * bytes, as which it takes texts that the engine refuses; or what columns of SQLite do, with 1 for `true`, and without
 * integers of more than 64 bits. Of these, a column of doubles takes the words of CSV for infinities.
 */
type StoredForm = "document" | "decimal" | "bytes" | "double" | "plain";

/** The form of a column by its name. */
export type FormOf = (column: string) => StoredForm;

export const plainForms: FormOf = () => "plain";

/** The forms of the columns of a table. */
export const formsOf =
  ({ dialect: { definitions }, table }: StoredIn): FormOf =>
  (name) => {
    const column = columnOf(table, name);
    if (column === undefined) return "plain";
    if (definitions.numbers === "doubles") return column.affinity === "real" ? "double" : "plain";
    if (definitions.holdsDocuments?.(column) === true) return "document";
    return column.affinity === "numeric" ? "decimal" : column.affinity === "blob" ? "bytes" : "plain";
  };

/** Converts the members of a JSON object to SQL values. @throws WriteRejected for a value that SQLite cannot store */
export function rowValues(row: JsonObject, formOf: FormOf): RowValues {
  // No intermediate array of pairs: for a million rows its garbage collection would take noticeable time.
  const values = new Map<string, SqlValue>();
  for (const [column, value] of row) values.set(column, columnValue(column, value, formOf));
  return values;
}

function columnValue(column: string, value: JsonValue, formOf: FormOf): SqlValue {
  if (typeof value === "boolean" && formOf(column) === "document") return String(value);
  if (typeof value === "bigint" && ["document", "decimal"].includes(formOf(column))) return value;
  if (typeof value === "string" && value.includes("\0") && formOf(column) === "bytes")
    return Buffer.from(value);
  return cellValue(value);
}

/** {@link rowValues} in slices: a row may hold a list of a million values. @throws WriteRejected */
export async function rowValuesInSlices(
  rows: readonly JsonObject[],
  client: Pick<Partial<Request>, "signal">,
  formOf: FormOf,
): Promise<readonly RowValues[]> {
  const slices = new TimeSlices(client);
  const converted: RowValues[] = [];
  for (const row of rows) {
    if (isStoredAsSent(row)) {
      converted.push(row as RowValues);
      continue;
    }
    const values = new Map<string, SqlValue>();
    for (const [column, value] of row) {
      const stored = storedAsJson(value);
      const text = stored && (await joinedInSlices(jsonPieces(stored, quoted), client));
      values.set(column, text === null ? columnValue(column, value, formOf) : storableText(text));
      if (text !== null && slices.isOver) await slices.next();
    }
    converted.push(values);
    if (slices.isOver) await slices.next();
  }
  return converted;
}

/** True for numbers, texts and nulls that need no conversion, as most rows have them. */
function isStoredAsSent(row: JsonObject): boolean {
  for (const value of row.values()) {
    const isStorable =
      typeof value === "string"
        ? value.isWellFormed() && !value.includes("\0")
        : value === null || typeof value === "number" || value instanceof Real;
    if (!isStorable) return false;
  }
  return true;
}

/**
 * Converts a JSON value to the SQL value to store. Objects and arrays are stored as JSON text. Two objects are special:
 * `{"$base64": true, "encoded": ...}` is stored as bytes, and `{"$raw": x}` is stored as `x` even if `x` looks like one
 * of these two.
 *
 * @throws WriteRejected
 */
export function cellValue(value: JsonValue): SqlValue {
  return isBlob(value) ? decodeBase64(value.get("encoded")) : literalValue(withoutRaw(value));
}

function withoutRaw(value: JsonValue): JsonValue {
  const raw = isObject(value) && value.size === 1 ? value.get("$raw") : undefined;
  return raw === undefined ? value : raw;
}

/** The list or object that is stored as JSON text; null for other values. */
function storedAsJson(value: JsonValue): JsonObject | readonly JsonValue[] | null {
  const literal = isBlob(value) ? null : withoutRaw(value);
  return isObject(literal) || isList(literal) ? literal : null;
}

/** Is this the JSON form of a BLOB? */
export const isBlob = (value: JsonValue): value is JsonObject =>
  isObject(value) && value.size === 2 && value.get("$base64") === true && value.has("encoded");

function literalValue(value: JsonValue): SqlValue {
  if (value === null || typeof value === "number" || value instanceof Real) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return int64(value);
  return storableText(typeof value === "string" ? value : storedJson(value));
}

function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new WriteRejected(["Python int too large to convert to SQLite INTEGER"]);
}

function decodeBase64(encoded: JsonValue | undefined): Uint8Array {
  if (typeof encoded !== "string") throw new WriteRejected(["$base64 encoded value must be a string"]);
  const isValid = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(encoded);
  if (!isValid) throw new WriteRejected(["Invalid $base64 encoded value"]);
  return Buffer.from(encoded, "base64");
}

/** @returns `text`. @throws WriteRejected if it has a lone surrogate, which UTF-8 cannot encode */
export function storableText(text: string): string {
  if (text.isWellFormed()) return text;
  const characters = [...text];
  const first = characters.findIndex(isLoneSurrogate);
  let last = first;
  while (isLoneSurrogate(characters[last + 1])) last += 1;
  throw new WriteRejected([
    `'utf-8' codec can't encode ${describeSurrogates(characters[first] ?? "", first, last)}: surrogates not allowed`,
  ]);
}

const isLoneSurrogate = (character: string | undefined): boolean => character?.isWellFormed() === false;

const describeSurrogates = (half: string, first: number, last: number): string =>
  first === last
    ? `character '\\u${half.charCodeAt(0).toString(16)}' in position ${first}`
    : `characters in position ${first}-${last}`;

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** False for false, zero, null, a missing member, and an empty text, list or object. */
export function truthy(value: JsonValue | undefined): boolean {
  if (isObject(value)) return value.size > 0;
  if (isList(value)) return value.length > 0;
  if (value instanceof Real) return value.value !== 0;
  return Boolean(value);
}

/** An object or array as the JSON text that is stored: `{"a": [1, 2.0]}`. Non-ASCII characters are not escaped. */
export const storedJson = (value: JsonValue): string => [...jsonPieces(value, quoted)].join("");

const PLAIN = /^[ !#-[\]-~]*$/;

/** Keeps lone surrogates unescaped: an escaped one would pass the later check for text that UTF-8 cannot encode. */
function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return JSON.stringify(text);
  return `"${[...text].map((one) => (one.isWellFormed() ? JSON.stringify(one).slice(1, -1) : one)).join("")}"`;
}

/** The engine and the table that values are stored in. */
export interface StoredIn {
  readonly dialect: Dialect;
  readonly table: Table;
}

/** {@link splitIntoRuns}, with the texts of {@link withExactTexts}. */
export const runsToStore = (rows: readonly RowValues[], storedIn: StoredIn): readonly RowRun[] =>
  splitIntoRuns(rows.map((row) => withoutNullKeys(row, storedIn.table))).map((run) =>
    withExactTexts(run, storedIn),
  );

/** The row without NULL in a key that comes from a sequence, so that the engine assigns it. SQLite does so by itself. */
export function withoutNullKeys(row: RowValues, table: Table): RowValues {
  const isAssigned = (name: string): boolean => columnOf(table, name)?.isAssigned === true;
  const keys = table.primaryKeys.filter((name) => row.get(name) === null && isAssigned(name));
  return keys.length === 0 ? row : new Map([...row].filter(([name]) => !keys.includes(name)));
}

/** Splits rows wherever the set of columns changes. The order of the rows is kept. */
export function splitIntoRuns(rows: readonly RowValues[]): readonly RowRun[] {
  const runs: { readonly columns: readonly string[]; readonly rows: SqlValue[][] }[] = [];
  for (const row of rows) {
    let run = runs.at(-1);
    if (run === undefined || !hasColumns(row, run.columns)) {
      run = { columns: [...row.keys()], rows: [] };
      runs.push(run);
    }
    run.rows.push(run.columns.map((column) => row.get(column) ?? null));
  }
  return runs;
}

const hasColumns = (row: RowValues, columns: readonly string[]): boolean =>
  row.size === columns.length && columns.every((column) => row.has(column));

/** The same rows. Texts in columns of numbers, and numbers in columns of text, get a form that the engine converts exactly. */
export function withExactTexts(run: RowRun, storedIn: StoredIn): RowRun {
  const columns = run.columns.map((name) => columnOf(storedIn.table, name));
  const isConverted = (value: SqlValue, place: number): boolean => needsConversion(columns[place], value);
  if (!run.rows.some((row) => row.some(isConverted))) return run;
  const exact = (value: SqlValue, place: number): SqlValue => convertible(columns[place], value, storedIn);
  return { columns: run.columns, rows: run.rows.map((row) => row.map(exact)) };
}

/** The changed values of one row, like {@link withExactTexts}. */
export const changesWithExactTexts = (changes: RowValues, storedIn: StoredIn): RowValues =>
  new Map(
    [...changes].map(([name, value]) => [name, convertible(columnOf(storedIn.table, name), value, storedIn)]),
  );

/** True for a value that the affinity of the column converts to another type. */
function needsConversion(column: Column | undefined, value: SqlValue): boolean {
  if (column === undefined) return false;
  return typeof value === "string"
    ? holdsNumbers(column)
    : value instanceof Real && column.affinity === "text";
}

function convertible(column: Column | undefined, value: SqlValue, { dialect, table }: StoredIn): SqlValue {
  if (value instanceof Real && column?.affinity === "integer" && dialect.definitions.numbers === "decimals")
    return withoutPoint(value);
  if (column === undefined || !needsConversion(column, value)) return value;
  if (typeof value === "string") return dialect.addressedValue({ table, name: column.name }, value);
  return value instanceof Real && dialect.definitions.numbers === "doubles" ? textOfReal(value) : value;
}

/** PostgreSQL does not read `1000.0` as an integer. SQLite does. */
function withoutPoint(real: Real): Real | bigint {
  const digits = /^(-?\d+)\.0$/.exec(String(real))?.[1];
  return digits === undefined ? real : BigInt(digits);
}

/** SQLite prints the doubles that it misreads with 17 digits: 2.5056060000000002 for 2.505606. */
const textOfReal = (real: Real): Real | string =>
  isMisread(real) ? realText(real.value).replace(/^(-?\d)e/, "$1.0e") : real;

/** True for a number whose shortest text SQLite may read as another number. SQLite prints whole numbers exactly. */
export const isMisread = ({ value }: Real): boolean =>
  Number.isFinite(value) && !Number.isInteger(value) && !isParsedExactly(String(value));

/** Decodes the rows, to write them one by one. */
export function decodeRows({ columns, json }: EncodedRows): RowRun {
  const rows = parseExactJson(json) as readonly (readonly (SqlValue | readonly [string])[])[];
  return {
    columns,
    rows: rows.map((row) => row.map((value) => (isHex(value) ? Buffer.from(value[0], "hex") : value))),
  };
}

const isHex = (value: SqlValue | readonly [string]): value is readonly [string] => Array.isArray(value);

/** No engine has tables with more columns by default. Longer lists of names would block the event loop. */
const MOST_COLUMNS = 2_000;

/** @throws WriteRejected for more columns than a table can have */
export function requireFewColumns(count: number): void {
  if (count > MOST_COLUMNS) throw new WriteRejected([`Too many columns, maximum allowed is ${MOST_COLUMNS}`]);
}
