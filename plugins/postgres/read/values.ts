import type { SqlValue } from "rowhouse/plugin-api";
import { Exact, Real, realText } from "rowhouse/plugin-api/engine";
import type { TimeSlices } from "rowhouse/plugin-api/http";
import {
  blobJson,
  blobJsonInSlices,
  decodeHex,
  jsonString,
  jsonStringInSlices,
  LONG_CELL,
  realJson,
  type InfinityForm,
} from "rowhouse/plugin-api/json";

/** The object identifiers of types whose values are not text to Rowhouse. They are the same in every PostgreSQL. */
const OID = {
  boolean: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  numeric: 1700,
} as const;

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

type Parser = (text: string) => SqlValue;

function integer(text: string): SqlValue {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const special = (text: string): Real | null => {
  const value = SPECIAL[text];
  return value === undefined ? null : new Real(value);
};

/** How the text of a value is read, by type. Values of other types are their text. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [OID.int2, integer],
  [OID.int4, integer],
  [OID.int8, integer],
  [OID.oid, integer],
  [OID.boolean, (text) => new Exact(text === "t" ? "true" : "false")],
  [OID.bytea, (text) => Buffer.from(text.slice(2), "hex")],
  [OID.float4, (text) => special(text) ?? new Real(Number(text))],
  [OID.float8, (text) => special(text) ?? new Real(Number(text))],
  [OID.numeric, (text) => special(text) ?? new Exact(text)],
]);

/** Reads the rows of a result, whose values are text. */
export function typedRows(
  rows: readonly (readonly (string | null)[])[],
  types: readonly number[],
): SqlValue[][] {
  const parsers = types.map((type) => PARSERS.get(type) ?? null);
  return rows.map((row) =>
    row.map((text, index) => {
      const parser = parsers[index] ?? null;
      return text === null || parser === null ? text : parser(text);
    }),
  );
}

/** {@link typedRows} in slices, for rows that may have long cells: to decode bytes of 20 MB takes a tenth of a second. */
export async function typedRowsInSlices(
  rows: readonly (readonly (string | null)[])[],
  types: readonly number[],
  slices: TimeSlices,
): Promise<SqlValue[][]> {
  const typed: SqlValue[][] = [];
  for (const row of rows) {
    const isLong = (text: string | null, index: number): text is string =>
      types[index] === OID.bytea && text !== null && text.length > LONG_CELL;
    const [values = []] = typedRows([row.map((text, index) => (isLong(text, index) ? null : text))], types);
    for (const [index, text] of row.entries())
      if (isLong(text, index)) values[index] = await decodeHex(text, 2, text.length, slices);
    typed.push(values);
    await slices.nextIfOver();
  }
  return typed;
}

type JsonWriter = (text: string) => string;

const NINE = 57;

/** The JSON of NaN and infinite numbers, which do not end with a digit; null for others. */
function specialJson(text: string, infinity: InfinityForm): string | null {
  if (text.charCodeAt(text.length - 1) <= NINE) return null;
  return realJson(SPECIAL[text] ?? Number.NaN, infinity);
}

/** How the text of a value becomes JSON, which is faster than by way of a value. */
function jsonWriter(type: number, infinity: InfinityForm): JsonWriter {
  switch (type) {
    case OID.int2:
    case OID.int4:
    case OID.int8:
    case OID.oid:
      return (text) => text;
    case OID.boolean:
      return (text) => (text === "t" ? "true" : "false");
    case OID.numeric:
      return (text) => specialJson(text, infinity) ?? text;
    case OID.float4:
    case OID.float8:
      return (text) => specialJson(text, infinity) ?? floatJson(text);
    case OID.bytea:
      return (text) => blobJson(Buffer.from(text.slice(2), "hex"));
    default:
      return jsonString;
  }
}

const INTEGER = /^-?\d+$/;

/** PostgreSQL writes an exponent for smaller numbers than Rowhouse does: `1e+06` in a column of type `real`. */
function floatJson(text: string): string {
  if (text.includes("e")) return realText(Number(text));
  return INTEGER.test(text) ? `${text}.0` : text;
}

/** A long cell as JSON, made in slices. */
async function longJson(text: string, { type, write }: Member, slices: TimeSlices): Promise<string> {
  if (type === OID.bytea) return blobJsonInSlices(await decodeHex(text, 2, text.length, slices), slices);
  return type === OID.numeric ? write(text) : jsonStringInSlices(text, slices);
}

/** A member of a row: the text before its value, and how it is written. */
interface Member {
  readonly before: string;
  readonly index: number;
  readonly type: number;
  readonly write: JsonWriter;
}

/** Writes rows, whose values are text, as JSON. */
export class RowWriter {
  readonly #members: readonly Member[];

  constructor(
    { columns, types }: { readonly columns: readonly string[]; readonly types: readonly number[] },
    private readonly shape: "arrays" | "objects",
    infinity: InfinityForm,
  ) {
    const indexes = [...columns.keys()];
    // Of equal names in objects the last value is kept, at the place of the first.
    const kept =
      shape === "arrays" ? indexes : [...new Map(columns.map((name, index) => [name, index])).values()];
    this.#members = kept.map((index, place) => ({
      before: (place === 0 ? "" : ", ") + (shape === "arrays" ? "" : `${jsonString(columns[index] ?? "")}: `),
      index,
      type: types[index] ?? 0,
      write: jsonWriter(types[index] ?? 0, infinity),
    }));
  }

  write(row: readonly (string | null)[]): string {
    let text = "";
    for (const { before, index, write } of this.#members) {
      const value = row[index] ?? null;
      text += before + (value === null ? "null" : write(value));
    }
    return this.shape === "arrays" ? `[${text}]` : `{${text}}`;
  }

  /** {@link write} in slices, for a row with long cells. */
  async writeInSlices(row: readonly (string | null)[], slices: TimeSlices): Promise<string> {
    let text = "";
    for (const member of this.#members) {
      const value = row[member.index] ?? null;
      const isLong = value !== null && value.length > LONG_CELL;
      const json = isLong ? longJson(value, member, slices) : value === null ? "null" : member.write(value);
      text += member.before + (await json);
    }
    return this.shape === "arrays" ? `[${text}]` : `{${text}}`;
  }
}
