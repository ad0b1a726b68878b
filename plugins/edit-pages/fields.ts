import type { Column, Table } from "rowhouse/plugin-api";
import { holdsNumbers, isNumber } from "rowhouse/plugin-api/engine";
import type { Form } from "rowhouse/plugin-api/http";
import { holdsBytes, sentBlob, storedBlob, type StoredBlob } from "./blob-field.js";
import { choicesOf } from "./choices.js";
import { cellOf, fieldText, withNotationOf } from "./cell-text.js";
import { TextLimit } from "./text-limit.js";

/** The meaning of an empty field. */
export type Blank = "default" | "null" | "empty";

/** A column in a form, and the text of its field. */
export interface Field {
  readonly column: Column;
  /** Null if a field of text cannot contain the value. The value then does not change. */
  readonly text: string | null;
  readonly blank: Blank;
  /** True if the stored value is a number. */
  readonly storesNumber: boolean;
  /** Only for columns of files: what is stored; null for NULL. */
  readonly blob?: StoredBlob | null;
  /** A file that was sent, or null to remove the stored one; absent to keep it. */
  readonly sent?: unknown;
}

/** Columns that users can fill in and change: not hidden, not generated. */
export const writableColumns = ({ columns }: Table): readonly Column[] =>
  columns.filter(({ hidden, generated }) => !hidden && generated === "no");

export const emptyFields = (table: Table): readonly Field[] =>
  writableColumns(table).map((column) => ({
    column,
    text: "",
    blank: "default",
    storesNumber: false,
    ...(holdsBytes(column, null) && { text: null, blob: null }),
  }));

/** The fields with the values of a row. @param mostBytes the longest body of a request; 0 is no limit */
export function filledFields(
  table: Table,
  row: Readonly<Record<string, unknown>>,
  mostBytes: number,
): readonly Field[] {
  const limit = new TextLimit(mostBytes);
  return writableColumns(table).map((column) => {
    const value = row[column.name] ?? null;
    const choices = choicesOf(table).get(column.name);
    const isFile = holdsBytes(column, value);
    const mayBeEmpty = choices === undefined || choices.includes("");
    return {
      column,
      text: isFile ? null : limit.fitting(fieldText(value)),
      storesNumber: isNumber(value),
      blank: blanksFor(column, ["null", "empty"], mayBeEmpty ? value : null)[0] ?? "empty",
      ...(isFile && { blob: storedBlob(value) }),
    };
  });
}

/**
 * The place of each field in the form that was submitted. The table may have got other columns since the form was loaded;
 * -1 for those that the form did not have. Without names, the columns are those of now.
 */
export function placesIn(form: URLSearchParams, fields: readonly Field[]): readonly number[] {
  const places = new Map(form.getAll("column").map((name, place) => [name, place]));
  return fields.map(({ column }, index) =>
    places.size === 0 ? index : (places.get(sentName(column.name)) ?? -1),
  );
}

/** The name of a column in a hidden field. Forms change line breaks. */
export const sentName = (name: string): string => encodeURIComponent(name);

/** The same fields with the submitted texts and files. */
export function typedFields(fields: readonly Field[], form: Form): Promise<readonly Field[]> {
  const places = placesIn(form.fields, fields);
  return Promise.all(
    fields.map(async (field, index) => {
      const place = places[index] ?? -1;
      const sent = field.blob === undefined ? undefined : await sentBlob(form, place);
      const text = form.fields.get(`v${place}`) ?? field.text;
      return {
        ...field,
        text: field.text === null || text === null ? null : withNotationOf(text, field.text),
        blank: blankOf(form.fields.get(`b${place}`), field.blank),
        ...(sent !== undefined && { sent }),
      };
    }),
  );
}

const blankOf = (text: string | null, otherwise: Blank): Blank =>
  text === "default" || text === "null" || text === "empty" ? text : otherwise;

/** The values to write by column. Columns that get their default are left out. */
export function rowOf(fields: readonly Field[]): Map<string, unknown> {
  const filled = fields.filter(
    ({ text, blank, sent }) => sent !== undefined || (text !== null && (text !== "" || blank !== "default")),
  );
  return new Map(filled.map((field) => [field.column.name, valueOf(field)]));
}

/** Only values that differ from the earlier ones. */
export function changesOf(before: readonly Field[], after: readonly Field[]): Map<string, unknown> {
  return new Map(changedFields(before, after).map((field) => [field.column.name, valueOf(field)]));
}

/** The fields whose value will be written. */
export const changedFields = (before: readonly Field[], after: readonly Field[]): readonly Field[] =>
  after.filter(({ text, blank, sent }, index) => {
    const old = before[index];
    if (sent !== undefined) return true;
    return text !== null && (text !== old?.text || (text === "" && blank !== old.blank));
  });

function valueOf({ column, text, blank, storesNumber, sent }: Field): unknown {
  if (sent !== undefined) return sent;
  if (text === null || text === "") return blank === "null" ? null : "";
  return cellOf(text, column, storesNumber);
}

/**
 * The possible meanings of an empty field of this column, most likely first. A number or a date that is removed becomes NULL.
 */
export function blanksFor(column: Column, blanks: readonly Blank[], value?: unknown): readonly Blank[] {
  const { notNull } = column;
  const holdsTexts = !holdsNumbers(column) && column.lacksEmptyText !== true;
  // A new row without the value is refused as well, by its missing default.
  if (column.lacksEmptyText === true && notNull) return [blanks.includes("default") ? "default" : "null"];
  const fitting = blanks.filter((one) =>
    one === "null" ? !notNull : one !== "empty" || notNull || holdsTexts,
  );
  const isText = value !== null && value !== undefined && holdsTexts;
  if (!isText || !fitting.includes("empty")) return fitting;
  return ["empty", ...fitting.filter((one) => one !== "empty")];
}
