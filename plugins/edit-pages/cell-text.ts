import { isNumber } from "rowhouse/plugin-api/engine";
import { parseExactJson } from "rowhouse/plugin-api/json";
import type { Column } from "rowhouse/plugin-api";
import { isNumberText } from "./client/declared-numbers.js";

/**
 * A cell as text of a form field. Null if a field cannot contain it: bytes, and text that forms would change.
 */
export function fieldText(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  // As the menu of a boolean column sends them. PostgreSQL has booleans, and takes 1 and 0 for them.
  if (typeof value === "boolean") return value ? "1" : "0";
  if (isNumber(value)) return String(value);
  return typeof value === "string" && survivesForms(value) ? value : null;
}

/** Forms send every line break as CR LF, and drop characters that pages cannot contain. */
const survivesForms = (text: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) && text.isWellFormed() && !/\r(?!\n)/.test(text);

const INTEGER = /^[+-]?\d+$/;

/**
 * The value that is written for the text of a field: a number if the column contains numbers and the text is one.
 *
 * @param replacesNumber true if the stored value is a number: a column without a type keeps what it gets
 */
export function cellOf(text: string, column: Column, replacesNumber: boolean): unknown {
  const trimmed = text.trim();
  if (column.affinity === "text" || (column.affinity === "blob" && !replacesNumber)) return text;
  if (INTEGER.test(trimmed)) return integerOf(trimmed, column);
  if (isNumberText(trimmed) && Number.isFinite(Number(trimmed))) return parseExactJson(jsonNumber(trimmed));
  return text;
}

/** JSON that is written has integers of 64 bits. PostgreSQL reads the text of a longer one as a number, or refuses it. */
function integerOf(text: string, column: Column): bigint | string {
  const number = BigInt(text.replace(/^\+/, ""));
  return column.lacksEmptyText === true && BigInt.asIntN(64, number) !== number ? text : number;
}

/** JSON has no plus sign and no other zeros at the beginning, and digits on both sides of a point. */
const jsonNumber = (text: string): string =>
  text
    .replace(/^\+/, "")
    .replace(/^(-?)0*(?=\d)/, "$1")
    .replace(/^(-?)\./, "$10.")
    .replace(/\.(?=e|$)/i, ".0");

/** The text in the notation of the earlier one, which the controls of forms change. */
export function withNotationOf(text: string, before: string): string {
  const sent = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?$/.exec(text);
  if (sent === null) return withLineBreaksOf(text, before);
  const [, day = "", minute = "", second = ""] = sent;
  // A field for a time leaves out seconds that are zero.
  const hasSeconds = second !== "" || /:\d{2}:00$/.test(before) || before === "";
  return `${day}${before.includes("T") ? "T" : " "}${minute}${hasSeconds ? second || ":00" : ""}`;
}

/** The text with its earlier line breaks, which forms change to CR LF. */
function withLineBreaksOf(text: string, before: string): string {
  // If both kinds of line breaks occur, only an unchanged text can keep them.
  if (text === before.replaceAll(/\r?\n/g, "\r\n")) return before;
  return before.includes("\r\n") ? text : text.replaceAll("\r\n", "\n");
}
