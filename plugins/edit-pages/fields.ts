import { html, type Column, type Html, type Table } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { cellOf, fieldText, withLineBreaksOf } from "./cell-text.js";
import type { Choices } from "./choices.js";
import { HOLDS_NUMBERS, fieldControl } from "./field-control.js";
import type { References } from "./references.js";

/** The meaning of an empty field. */
export type Blank = "default" | "null" | "empty";

/** A column in a form, and the text of its field. */
export interface Field {
  readonly column: Column;
  /** Null if a field cannot contain the value. The value then does not change. */
  readonly text: string | null;
  readonly blank: Blank;
}

/** Columns that users can fill in. */
export const writableColumns = ({ columns }: Table): readonly Column[] =>
  columns.filter(({ hidden, generated }) => !hidden && generated === "no");

export const emptyFields = (table: Table): readonly Field[] =>
  writableColumns(table).map((column) => ({ column, text: "", blank: "default" }));

export const filledFields = (table: Table, row: Readonly<Record<string, unknown>>): readonly Field[] =>
  writableColumns(table).map((column) => {
    const value = row[column.name] ?? null;
    return {
      column,
      text: fieldText(value),
      blank: blanksFor(column, ["null", "empty"], value)[0] ?? "empty",
    };
  });

/** The same fields with the submitted texts. */
export const typedFields = (fields: readonly Field[], form: URLSearchParams): readonly Field[] =>
  fields.map((field, index) => ({
    ...field,
    text: field.text === null ? null : withLineBreaksOf(form.get(`v${index}`) ?? field.text, field.text),
    blank: blankOf(form.get(`b${index}`), field.blank),
  }));

const blankOf = (text: string | null, otherwise: Blank): Blank =>
  text === "default" || text === "null" || text === "empty" ? text : otherwise;

/** The values to write by column. Columns that get their default are left out. */
export function rowOf(fields: readonly Field[]): Map<string, unknown> {
  const filled = fields.filter(({ text, blank }) => text !== null && (text !== "" || blank !== "default"));
  return new Map(filled.map((field) => [field.column.name, valueOf(field)]));
}

/** Only values that differ from the earlier ones. */
export function changesOf(before: readonly Field[], after: readonly Field[]): Map<string, unknown> {
  const changed = after.filter(({ text, blank }, index) => {
    const old = before[index];
    return text !== null && (text !== old?.text || (text === "" && blank !== old.blank));
  });
  return new Map(changed.map((field) => [field.column.name, valueOf(field)]));
}

function valueOf({ column, text, blank }: Field): unknown {
  if (text === null || text === "") return blank === "null" ? null : "";
  return cellOf(text, column);
}

const BLANKS: Readonly<Record<Blank, string>> = {
  default: "Default if blank",
  null: "NULL if blank",
  empty: "Empty text if blank",
};

/** The fields of a form. */
export interface FieldList {
  readonly fields: readonly Field[];
  /** The possible meanings of an empty field. */
  readonly blanks: readonly Blank[];
  /** The column types; null if there are none. */
  readonly types: TypedColumns | null;
  /** The values that columns accept. */
  readonly choices: Choices;
  readonly references: References;
}

/** One field for each column. */
export const fieldsMarkup = ({ fields, blanks, types, choices, references }: FieldList): Html => html`
  <div class="edit-fields">
    ${fields.map(({ column, text, blank }, index) => {
      const typed = types?.get(column.name) ?? null;
      return html`
        <div class="edit-field">
          <label for="v${index}" dir="auto"
            >${column.name} <small>${describe(column, typed?.given.type ?? "")}</small></label
          >
          ${
            text === null
              ? html`<p class="hint" id="v${index}">
                  What is stored here can't be shown in a form, and stays.
                </p>`
              : html`${fieldControl({
                  column,
                  types,
                  text,
                  index,
                  choices: choices.get(column.name.toLowerCase()) ?? null,
                  reference: references.get(column.name) ?? null,
                })}
                ${blankChoice(column, { blank, index, blanks })}`
          }
        </div>
      `;
    })}
  </div>
`;

const describe = ({ type, notNull, primaryKeyPosition, defaultSql }: Column, columnType: string): string =>
  [
    type,
    columnType,
    primaryKeyPosition > 0 ? "key" : "",
    notNull ? "not null" : "",
    defaultSql === null ? "" : `default ${defaultSql}`,
  ]
    .filter((part) => part !== "")
    .join(", ");

interface Choice {
  readonly blank: Blank;
  readonly index: number;
  readonly blanks: readonly Blank[];
}

function blankChoice(column: Column, { blank, index, blanks }: Choice): Html {
  const offered = blanksFor(column, blanks);
  if (offered.length === 1) return html`<input type="hidden" name="b${index}" value="${offered[0]}" />`;
  return html`<select name="b${index}" aria-label="Meaning of an empty ${column.name}">
    ${offered.map((one) => html`<option value="${one}" ${one === blank && "selected"}>${BLANKS[one]}</option>`)}
  </select>`;
}

/**
 * The possible meanings of an empty field of this column, most likely first. A number that is removed becomes NULL.
 */
function blanksFor(
  { affinity, notNull }: Column,
  blanks: readonly Blank[],
  value?: unknown,
): readonly Blank[] {
  const fitting = blanks.filter((one) =>
    one === "null" ? !notNull : one !== "empty" || notNull || !HOLDS_NUMBERS.has(affinity),
  );
  const isText = value !== null && value !== undefined && !HOLDS_NUMBERS.has(affinity);
  if (!isText || !fitting.includes("empty")) return fitting;
  return ["empty", ...fitting.filter((one) => one !== "empty")];
}
