import type { Column } from "rowhouse/plugin-api";
import type { DefaultValues } from "rowhouse/plugin-api/engine";
import { unquote } from "rowhouse/plugin-api/sql";
import { declaresNumbers } from "../client/declared-numbers.js";

/** A default as the JSON API takes it. */
export type DefaultArguments =
  | { readonly default: string | number | bigint | null }
  | { readonly default_expr: string };

const EMPTY_TEXT = "''";
const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The default of a column as users read and type it: `new`, `0`, `current_date`; `''` for an empty text. */
export function defaultText({ defaultSql }: Column, { expressions }: DefaultValues): string {
  if (defaultSql === null) return "";
  // PostgreSQL adds the type: 'new'::text
  const sql = defaultSql.replace(/^('(?:[^']|'')*')::[\w ]+$/, "$1");
  const expression = Object.entries(expressions).find(([, one]) => plain(one) === plain(sql));
  if (expression !== undefined) return expression[0];
  if (/^'(?:[^']|'')*'$/.test(sql)) return sql === EMPTY_TEXT ? sql : unquote(sql);
  return sql;
}

const plain = (sql: string): string => sql.toLowerCase().replace(/^\((.*)\)$/, "$1");

/** The default that a text means. Numbers are numbers in columns of numbers. */
export function defaultArguments(
  text: string,
  type: string,
  { expressions }: DefaultValues,
): DefaultArguments {
  if (text === "") return { default: null };
  if (text === EMPTY_TEXT) return { default: "" };
  if (Object.hasOwn(expressions, text)) return { default_expr: text };
  const holdsNumbers = declaresNumbers(type);
  if (holdsNumbers && INTEGER.test(text)) return { default: BigInt(text) };
  return { default: holdsNumbers && NUMBER.test(text) ? Number(text) : text };
}
