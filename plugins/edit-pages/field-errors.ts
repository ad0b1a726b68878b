import type { Column } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";

/** How databases and the write API name the column of an error. */
const NAMED = [
  /^(?:NOT NULL|UNIQUE) constraint failed: (?<columns>.+)$/,
  /invalid value in column (?<columns>[^:]+): (?<reason>.*)$/i,
  /null value in column "(?<columns>[^"]+)"/,
  /Key \((?<columns>[^)]+)\)=/,
];

/** The errors of a form by column, in short; errors without a column are left out. */
export function errorsByColumn(
  errors: readonly string[],
  columns: readonly Column[],
  t: Translator["t"],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const error of errors) {
    for (const name of columnsIn(error, columns))
      if (!found.has(name)) found.set(name, shortReason(error, t));
  }
  return found;
}

function columnsIn(error: string, columns: readonly Column[]): readonly string[] {
  const named = NAMED.map((pattern) => pattern.exec(error)?.groups?.["columns"]).find(Boolean);
  if (named !== undefined) {
    const names = named.split(",").map((part) => part.trim().split(".").at(-1) ?? "");
    return columns.map(({ name }) => name).filter((name) => names.includes(name));
  }
  const check = /^CHECK constraint failed: (.*)$/s.exec(error)?.[1];
  if (check === undefined) return [];
  // The database has the expression, or the name of the constraint.
  const words = new Set(check.toLowerCase().match(/[\p{L}\p{N}_$]+/gu));
  return columns.map(({ name }) => name).filter((name) => words.has(name.toLowerCase()));
}

function shortReason(error: string, t: Translator["t"]): string {
  if (/^NOT NULL|^null value/.test(error)) return t("edit.needs_value");
  if (/^UNIQUE|already exists/.test(error)) return t("edit.not_unique");
  const reason = NAMED.map((pattern) => pattern.exec(error)?.groups?.["reason"]).find(Boolean);
  const check = /^CHECK constraint failed: ([^]*)/.exec(error)?.[1];
  return reason ?? (check === undefined ? error : t("edit.must_satisfy", { check }));
}
