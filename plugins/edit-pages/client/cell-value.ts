/** A column of the rows of a page. */
export interface EditedColumn {
  readonly name: string;
  /** The declared type. */
  readonly type: string;
  readonly notNull: boolean;
}

/** True for columns that are declared to hold numbers. */
export const holdsNumbers = ({ type }: EditedColumn): boolean =>
  /int|real|floa|doub|num|dec/i.test(type) && !/char|text|point/i.test(type);

/** A stored value as text for a field; null for values that a field cannot show. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? null : String(value);
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The text of a field as JSON. An empty field of numbers is NULL. */
export function jsonOf(text: string, column: EditedColumn): string {
  const trimmed = text.trim();
  if (!holdsNumbers(column)) return JSON.stringify(text);
  if (trimmed === "") return column.notNull ? '""' : "null";
  if (INTEGER.test(trimmed)) return String(BigInt(trimmed.replace(/^\+/, "")));
  if (NUMBER.test(trimmed) && Number.isFinite(Number(trimmed))) return JSON.stringify(Number(trimmed));
  return JSON.stringify(text);
}

/** Why a text does not fit the declared type; null if it does. */
export function misfit(text: string, column: EditedColumn): string | null {
  if (text.trim() === "" || !holdsNumbers(column) || NUMBER.test(text.trim())) return null;
  return `“${text}” is not a number, but ${column.name} is declared as ${column.type}. Press Enter again to save it as text.`;
}
