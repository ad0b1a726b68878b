import { createHash } from "node:crypto";
import { html, type Column, type Html } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { holdsNumbers } from "rowhouse/plugin-api/engine";
import { blobField } from "./blob-field.js";
import type { Choices } from "./choices.js";
import { fieldControl } from "./field-control.js";
import { blanksFor, sentName, type Blank, type Field } from "./fields.js";
import type { References } from "./references.js";
import type { Translator } from "rowhouse/plugin-api/html";

/** What is said at the fields, by column. */
export interface FieldNotes {
  /** Why a value was refused. */
  readonly errors: ReadonlyMap<string, string>;
  /** Why a value may not be meant. */
  readonly doubts: ReadonlyMap<string, string>;
  /** What another client has stored since. */
  readonly theirs: ReadonlyMap<string, string>;
  /** Columns whose doubtful value the user has confirmed. */
  readonly confirmed: ReadonlySet<string>;
}

export const NO_NOTES: FieldNotes = {
  errors: new Map(),
  doubts: new Map(),
  theirs: new Map(),
  confirmed: new Set(),
};

/** The fields of a form. */
export interface FieldList {
  readonly t: Translator["t"];
  readonly fields: readonly Field[];
  /** The possible meanings of an empty field. */
  readonly blanks: readonly Blank[];
  /** The column types; null if there are none. */
  readonly types: TypedColumns | null;
  /** The values that columns accept. */
  readonly choices: Choices;
  readonly references: References;
  readonly notes: FieldNotes;
  /** The stored row, in the order of the fields, and its address; null for a new row. */
  readonly stored: { readonly fields: readonly Field[]; readonly url: string } | null;
}

/** One field for each column. */
export function fieldsMarkup(list: FieldList): Html {
  const { errors, doubts, theirs } = list.notes;
  const noted = list.fields.findIndex(({ column: { name } }) =>
    [errors, doubts, theirs].some((notes) => notes.has(name)),
  );
  const first = noted === -1 && list.stored === null ? list.fields.findIndex(isAsked) : noted;
  return html`<div class="edit-fields">
    ${list.fields.map((field, index) => fieldMarkup(list, field, { index, isFirst: index === first }))}
  </div>`;
}

interface FieldPlace {
  readonly index: number;
  /** The field that has the focus: the first with a note; in an empty form, the first that users fill in. */
  readonly isFirst: boolean;
}

/** Keys of one integer are assigned, and files have no field to type in. */
const isAsked = ({ column, text }: Field): boolean => text !== null && !isAssigned(column);

function fieldMarkup(list: FieldList, field: Field, { index, isFirst }: FieldPlace): Html {
  const { column, text, blank } = field;
  const type = list.types?.get(column.name)?.given.type ?? "";
  const theirs = list.notes.theirs.get(column.name) ?? null;
  const original = list.stored?.fields[index];
  return html`
    <div class="edit-field">
      <label for="v${index}" dir="auto"
        >${column.name} <small>${describe(column, type, list.t)}</small>${
          asksForValue(list, column) && html` <small class="required">${list.t("edit.required")}</small>`
        }</label
      >
      ${text === null ? fileMarkup(list, field, index) : compared(valueMarkup(list, field, { index, isFirst }), theirs, { index, t: list.t })}
      ${text !== null && blankChoice(column, { blank, index, blanks: list.blanks, t: list.t })}
      <input type="hidden" name="column" value="${sentName(column.name)}" />
      ${original !== undefined && html`<input type="hidden" name="h${index}" value="${digestOf(original)}" />`}
      ${noteMarkup(list, column, { index, text: text ?? "" })}
    </div>
  `;
}

const valueMarkup = (list: FieldList, field: Field, { index, isFirst }: FieldPlace): Html => {
  const { column, text } = field;
  const { errors, doubts } = list.notes;
  return fieldControl({
    t: list.t,
    column,
    types: list.types,
    text: text ?? "",
    index,
    choices: list.choices.get(column.name) ?? null,
    reference: list.references.get(column.name) ?? null,
    isDoubtful: errors.has(column.name) || doubts.has(column.name),
    isFirst,
    defaultSql: list.stored === null ? column.defaultSql : null,
  });
};

function fileMarkup({ stored, t }: FieldList, { column, blob }: Field, index: number): Html {
  if (blob !== undefined) return blobField({ column, index, stored: blob, row: stored?.url ?? null, t });
  return html`<p class="hint" id="v${index}">${t("edit.not_shown")}</p>`;
}

/** The field, and beside it what another client has stored since. */
const compared = (
  control: Html,
  theirs: string | null,
  { index, t }: { readonly index: number; readonly t: Translator["t"] },
): Html =>
  theirs === null
    ? control
    : html`<div class="compared">
        <div><small>${t("edit.your_value")}</small> ${control}</div>
        <div>
          <small>${t("edit.stored_now")}</small> <output dir="auto">${theirs}</output>
          <button type="button" class="quiet needs-script" data-take="v${index}" data-value="${theirs}">
            ${t("edit.take_value")}
          </button>
        </div>
      </div>`;

interface Noted {
  readonly index: number;
  readonly text: string;
}

function noteMarkup(
  { t, notes: { errors, doubts, confirmed } }: FieldList,
  { name }: Column,
  { index, text }: Noted,
): Html | null {
  const error = errors.get(name);
  const doubt = doubts.get(name);
  const kept = confirmed.has(name) && html`<input type="hidden" name="ok-${name}" value="${text}" />`;
  if (error !== undefined)
    return html`<p class="field-note" id="e${index}">${error}</p>
      ${kept}`;
  if (doubt === undefined) return kept === false ? null : kept;
  return html`<p class="field-note" id="e${index}">
    ${doubt}.
    <label><input type="checkbox" name="ok-${name}" value="${text}" /> ${t("edit.all_the_same")}</label>
  </p>`;
}

/** True if the value of a field is that of the form before anything was typed. @param place that in the form */
export const isUntouched = (field: Field, submitted: URLSearchParams, place: number): boolean =>
  submitted.get(`h${place}`) === digestOf(field);

/** Forms change line breaks. */
const digestOf = ({ text, blank }: Field): string =>
  createHash("sha256")
    .update(text === "" ? `blank ${blank}` : `text ${(text ?? "").replaceAll("\r\n", "\n")}`)
    .digest("base64url")
    .slice(0, 12);

const isRequired = (column: Column): boolean =>
  column.notNull && column.defaultSql === null && !isAssigned(column);

/** In a row that exists, a blank field of a text column means the empty text. */
const asksForValue = ({ stored }: FieldList, column: Column): boolean =>
  isRequired(column) && (stored === null || holdsNumbers(column));

const isAssigned = ({ primaryKeyPosition, affinity }: Column): boolean =>
  primaryKeyPosition > 0 && affinity === "integer";

const describe = (
  { type, notNull, primaryKeyPosition, defaultSql }: Column,
  columnType: string,
  t: Translator["t"],
): string =>
  [
    type,
    columnType,
    primaryKeyPosition > 0 ? t("edit.key") : "",
    notNull ? t("edit.not_null") : "",
    defaultSql === null ? "" : t("edit.default", { sql: defaultSql }),
  ]
    .filter((part) => part !== "")
    .join(", ");

const BLANKS: Readonly<Record<Blank, string>> = {
  default: "edit.blank_default",
  null: "edit.blank_null",
  empty: "edit.blank_empty",
};

interface Choice {
  readonly blank: Blank;
  readonly index: number;
  readonly blanks: readonly Blank[];
  readonly t: Translator["t"];
}

function blankChoice(column: Column, { blank, index, blanks, t }: Choice): Html {
  const offered = blanksFor(column, blanks);
  if (offered.length === 1) return html`<input type="hidden" name="b${index}" value="${offered[0]}" />`;
  const meaning = (one: Blank): string =>
    t(one === "default" && isRequired(column) ? "edit.blank_refused" : BLANKS[one]);
  return html`<select
    class="blank-choice"
    name="b${index}"
    aria-label="${t("edit.meaning_of_empty", { column: column.name })}"
  >
    ${offered.map((one) => html`<option value="${one}" ${one === blank && "selected"}>${meaning(one)}</option>`)}
  </select>`;
}
