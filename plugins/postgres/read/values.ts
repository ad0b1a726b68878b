import type { SqlValue } from "rowhouse/plugin-api";
import { Exact, Real } from "rowhouse/plugin-api/engine";
import type { InfinityForm } from "rowhouse/plugin-api/json";

/** The object identifiers of types whose values are not text to Rowhouse. They are the same in every Postgres. */
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

/** True if Postgres can write the JSON of the values. Bytes are text if they are valid UTF-8, which it can't tell. */
export const isJsonInSql = (types: readonly number[]): boolean => !types.includes(OID.bytea);

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8, OID.oid, OID.boolean]);

/** An expression with the JSON text of a value of this type; NULL for NULL. */
export function jsonExpression(expression: string, type: number, infinity: InfinityForm): string {
  const text = `cast(${expression} as text)`;
  if (INTEGERS.has(type)) return text;
  const infinite = (word: string): string => (infinity === "words" ? `'${word}'` : "'null'");
  const specials =
    `when ${text} = 'NaN' then 'null' when ${text} = 'Infinity' then ${infinite("Infinity")} ` +
    `when ${text} = '-Infinity' then ${infinite("-Infinity")}`;
  if (type === OID.numeric) return `case ${specials} else ${text} end`;
  if (type === OID.float4 || type === OID.float8)
    return `case ${specials} when ${text} ~ '^-?[0-9]+$' then ${text} || '.0' else ${text} end`;
  return `cast(to_json(${text}) as text)`;
}
