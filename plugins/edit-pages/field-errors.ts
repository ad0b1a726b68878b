import type { Translator } from "rowhouse/plugin-api/html";
import type { Field } from "./fields.js";

/** How databases and the write API name the column of an error. */
const NAMED = [
  /^(?:NOT NULL|UNIQUE) constraint failed: (?<columns>.+)$/,
  /invalid value in column (?<columns>[^:]+): (?<reason>.*)$/i,
  /null value in column "(?<columns>[^"]+)"/,
  /Key \((?<columns>[^)]+)\)=/,
];

/** Why a form was refused. */
export interface FormErrors {
  /** In short, for the field of the column. */
  readonly byColumn: ReadonlyMap<string, string>;
  /** Those that name no column of the form, as the write API words them. */
  readonly others: readonly string[];
  /** A summary for the top of the page, if there are errors at fields. */
  readonly notice: string | undefined;
}

/** Assigns the errors of the write API to the fields of a form. */
export function formErrors(
  errors: readonly string[],
  fields: readonly Field[],
  t: Translator["t"],
): FormErrors {
  const byColumn = new Map<string, string>();
  const others: string[] = [];
  for (const error of errors) {
    const names = columnsIn(error, fields);
    if (names.length === 0) others.push(error);
    for (const name of names) if (!byColumn.has(name)) byColumn.set(name, shortReason(error, t));
  }
  return { byColumn, others, notice: byColumn.size === 0 ? undefined : t("edit.refused") };
}

/**
 * True for an error that says that a column can't store the value of the field. PostgreSQL names the value, and a STRICT
 * table of SQLite the column.
 */
export const refusesValue = (error: string, { column, text }: Field): boolean =>
  text !== null &&
  text !== "" &&
  (error.endsWith(`: "${text}"`) ||
    error.startsWith(`value "${text}" is out of range`) ||
    (/^cannot store \w+ value in \w+ column /.test(error) && error.endsWith(`.${column.name}`)));

function columnsIn(error: string, fields: readonly Field[]): readonly string[] {
  const columns = fields.map(({ column }) => column);
  const named = NAMED.map((pattern) => pattern.exec(error)?.groups?.["columns"]).find(Boolean);
  if (named !== undefined) {
    const names = named.split(",").map((part) => part.trim().split(".").at(-1) ?? "");
    return columns.map(({ name }) => name).filter((name) => names.includes(name));
  }
  const check = /^CHECK constraint failed: (.*)$/s.exec(error)?.[1];
  if (check === undefined)
    return fields.filter((field) => refusesValue(error, field)).map(({ column }) => column.name);
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
