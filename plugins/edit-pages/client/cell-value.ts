import type { EditedColumn } from "./edited-table.js";
import { declaresNumbers, isNumberText } from "./declared-numbers.js";
import { t } from "./texts.js";

type TypedColumn = Pick<EditedColumn, "name" | "type" | "notNull" | "lacksEmptyText" | "choices">;

/** A stored value as text for a field; null for values that a field cannot show. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? null : String(value);
}

const INTEGER = /^[+-]?\d+$/;

/** A double keeps this many digits of each number. */
const EXACT_DIGITS = 15;

const digitsOf = (number: string): number =>
  number.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "").length;

/**
 * The value to write for the text of a field. An empty field of numbers is NULL, and so is one of
 * choices or of a type without the empty text.
 *
 * @param stored the value that it replaces. A column without a type keeps what it gets: a number stays a number.
 */
export function valueOf(
  text: string,
  column: TypedColumn,
  stored: unknown = null,
): string | number | bigint | null {
  const trimmed = text.trim();
  const replacesNumber = column.type === "" && typeof stored === "number";
  const mayBeEmpty = column.choices === null || column.choices.includes("");
  if (text === "" && column.lacksEmptyText === true) return null;
  if (text === "" && !mayBeEmpty && !column.notNull) return null;
  if (!declaresNumbers(column.type) && !replacesNumber) return text;
  if (trimmed === "") return column.notNull ? "" : null;
  if (INTEGER.test(trimmed)) return integerOf(trimmed, column);
  if (!isNumberText(trimmed) || !Number.isFinite(Number(trimmed))) return text;
  // The database reads the digits that JavaScript would round. A column without a type would keep the text.
  return digitsOf(trimmed) > EXACT_DIGITS && !replacesNumber ? trimmed : Number(trimmed);
}

/** PostgreSQL reads the text of an integer that is too long for JSON as a number, or refuses it. */
function integerOf(text: string, { lacksEmptyText }: TypedColumn): bigint | string {
  const number = BigInt(text.replace(/^\+/, ""));
  return lacksEmptyText === true && BigInt.asIntN(64, number) !== number ? text : number;
}

/** Why a text does not fit the declared type; null if it does. */
export function misfit(text: string, column: TypedColumn): string | null {
  if (text.trim() === "" || !declaresNumbers(column.type) || isNumberText(text.trim())) return null;
  return t("script.misfit", { text, column: column.name, type: column.type });
}
