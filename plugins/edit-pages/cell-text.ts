import { Real, realText } from "rowhouse/plugin-api";
import type { Column } from "rowhouse/plugin-api";

/** A cell as a form field holds it, or null when a field can't hold it: bytes, and text that forms would change. */
export function fieldText(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  if (value instanceof Real) return realText(value.value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" && survivesForms(value) ? value : null;
}

/** Forms send every line break as CR LF, and drop what no page can hold. */
const survivesForms = (text: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) && text.isWellFormed() && !/\r(?!\n)/.test(text);

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** What is written for the text of a field: a number where the column holds numbers and the text is one. */
export function cellOf(text: string, column: Column): unknown {
  const trimmed = text.trim();
  if (column.affinity === "text" || column.affinity === "blob") return text;
  if (INTEGER.test(trimmed)) return BigInt(trimmed.replace(/^\+/, ""));
  if (NUMBER.test(trimmed) && Number.isFinite(Number(trimmed))) return new Real(Number(trimmed));
  return text;
}

/** Text with the line breaks it had before a form made CR LF of them all. */
export function withLineBreaksOf(text: string, before: string): string {
  // Of both kinds only an unchanged text can say which was where.
  if (text === before.replaceAll(/\r?\n/g, "\r\n")) return before;
  return before.includes("\r\n") ? text : text.replaceAll("\r\n", "\n");
}
