import type { Table } from "rowhouse/plugin-api";
import type { DefaultValues } from "rowhouse/plugin-api/engine";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { choicesOf } from "../choices.js";
import { writableColumns } from "../fields.js";
import { defaultText } from "./default-text.js";

/** A column as a form has it. All values are texts that users type. */
export interface ColumnLine {
  readonly name: string;
  /** `text`, `integer`, `float` or `blob`; empty for the type that the column has. */
  readonly type: string;
  readonly isKey: boolean;
  readonly isRequired: boolean;
  readonly defaultText: string;
  /** The only values that the column accepts, with commas between them; empty for any. */
  readonly choices: string;
  /** The table that the column refers to; empty for none. */
  readonly refersTo: string;
  /** The column type; empty for none. */
  readonly holds: string;
  readonly position: string;
  readonly isDropped: boolean;
}

/** A line for a column to be added. */
export const emptyLine: ColumnLine = {
  name: "",
  type: "text",
  isKey: false,
  isRequired: false,
  defaultText: "",
  choices: "",
  refersTo: "",
  holds: "",
  position: "",
  isDropped: false,
};

/** The lines of the columns of a table. */
export function linesOf(
  table: Table,
  { defaults, types }: { readonly defaults: DefaultValues; readonly types: TypedColumns | null },
): readonly ColumnLine[] {
  const choices = choicesOf(table);
  return writableColumns(table).map((column, index) => ({
    name: column.name,
    type: "",
    isKey: table.primaryKeys.includes(column.name),
    isRequired: column.notNull,
    defaultText: defaultText(column, defaults),
    choices: (choices.get(column.name) ?? []).join(", "),
    refersTo: referenceOf(table, column.name),
    holds: types?.get(column.name)?.given.type ?? "",
    position: String(index + 1),
    isDropped: false,
  }));
}

const referenceOf = ({ foreignKeys }: Table, name: string): string =>
  foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name)?.otherTable ?? "";

const MOST_LINES = 2000;

/** What was typed, without spaces around it. A field that was not touched keeps them. */
export const typedText = (sent: string | null, before: string): string =>
  sent === null || sent === withoutBreaks(before) ? before : sent.trim();

/** Fields of one line lose line breaks. */
const withoutBreaks = (text: string): string => text.replaceAll(/[\r\n]/g, "");

/** The submitted lines. Fields that the form did not have keep the value of `before`. */
export function linesIn(form: URLSearchParams, before: readonly ColumnLine[] = []): readonly ColumnLine[] {
  const lines: ColumnLine[] = [];
  for (let index = 0; form.has(`name${index}`) && index < MOST_LINES; index += 1) {
    const old = before[index] ?? emptyLine;
    const text = (field: string, otherwise: string): string =>
      typedText(form.get(`${field}${index}`), otherwise);
    lines.push({
      name: text("name", old.name) || old.name,
      type: text("type", old.type),
      isKey: form.has(`key${index}`),
      isRequired: form.has(`required${index}`),
      defaultText: text("default", old.defaultText),
      choices: text("choices", old.choices),
      refersTo: text("refers", old.refersTo),
      holds: text("holds", old.holds),
      position: text("position", old.position),
      isDropped: form.has(`drop${index}`),
    });
  }
  return lines;
}

/** The values of a list that was typed. */
export const choicesIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((choice) => choice.trim())
    .filter((choice) => choice !== "");
