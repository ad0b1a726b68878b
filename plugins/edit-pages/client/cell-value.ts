import type { EditedColumn } from "./edited-table.js";
import { t } from "./texts.js";

type TypedColumn = Pick<EditedColumn, "name" | "type" | "notNull">;

/** True for columns that are declared to hold numbers. */
const holdsNumbers = ({ type }: TypedColumn): boolean =>
  /int|real|floa|doub|num|dec/i.test(type) && !/char|text|point/i.test(type);

/** A stored value as text for a field; null for values that a field cannot show. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? null : String(value);
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The value to write for the text of a field. An empty field of numbers is NULL.
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
  if (!holdsNumbers(column) && !replacesNumber) return text;
  if (trimmed === "") return column.notNull ? "" : null;
  if (INTEGER.test(trimmed)) return BigInt(trimmed.replace(/^\+/, ""));
  return NUMBER.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
}

/** Why a text does not fit the declared type; null if it does. */
export function misfit(text: string, column: TypedColumn): string | null {
  if (text.trim() === "" || !holdsNumbers(column) || NUMBER.test(text.trim())) return null;
  return t("script.misfit", { text, column: column.name, type: column.type });
}
