import { createHash } from "node:crypto";
import { html, type Column, type Html } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { blobField } from "./blob-field.js";
import type { Choices } from "./choices.js";
import { fieldControl } from "./field-control.js";
import { blanksFor, type Blank, type Field } from "./fields.js";
import type { References } from "./references.js";

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
  return html`<div class="edit-fields">
    ${list.fields.map((field, index) => fieldMarkup(list, field, { index, isFirstNoted: index === noted }))}
  </div>`;
}

interface FieldPlace {
  readonly index: number;
  /** The field where the attention of the user is needed first. */
  readonly isFirstNoted: boolean;
}

function fieldMarkup(list: FieldList, field: Field, { index, isFirstNoted }: FieldPlace): Html {
  const { column, text, blank } = field;
  const type = list.types?.get(column.name)?.given.type ?? "";
  const theirs = list.notes.theirs.get(column.name) ?? null;
  const original = list.stored?.fields[index];
  return html`
    <div class="edit-field">
      <label for="v${index}" dir="auto"
        >${column.name} <small>${describe(column, type)}</small>${
          isRequired(column) && html` <small class="required">required</small>`
        }</label
      >
      ${text === null ? fileMarkup(list, field, index) : compared(valueMarkup(list, field, { index, isFirstNoted }), theirs, index)}
      ${text !== null && blankChoice(column, { blank, index, blanks: list.blanks })}
      ${original !== undefined && html`<input type="hidden" name="h${index}" value="${digestOf(original)}" />`}
      ${noteMarkup(list.notes, column, { index, text: text ?? "" })}
    </div>
  `;
}

const valueMarkup = (list: FieldList, field: Field, { index, isFirstNoted }: FieldPlace): Html => {
  const { column, text } = field;
  const { errors, doubts } = list.notes;
  return fieldControl({
    column,
    types: list.types,
    text: text ?? "",
    index,
    choices: list.choices.get(column.name.toLowerCase()) ?? null,
    reference: list.references.get(column.name) ?? null,
    isDoubtful: errors.has(column.name) || doubts.has(column.name),
    isFirst: isFirstNoted,
    defaultSql: list.stored === null ? column.defaultSql : null,
  });
};

function fileMarkup({ stored }: FieldList, { column, blob }: Field, index: number): Html {
  if (blob !== undefined) return blobField({ column, index, stored: blob, row: stored?.url ?? null });
  return html`<p class="hint" id="v${index}">What is stored here can't be shown in a form, and stays.</p>`;
}

/** The field, and beside it what another client has stored since. */
const compared = (control: Html, theirs: string | null, index: number): Html =>
  theirs === null
    ? control
    : html`<div class="compared">
        <div><small>Your value</small> ${control}</div>
        <div>
          <small>Stored now</small> <output dir="auto">${theirs}</output>
          <button type="button" class="quiet needs-script" data-take="v${index}" data-value="${theirs}">
            Take this value
          </button>
        </div>
      </div>`;

interface Noted {
  readonly index: number;
  readonly text: string;
}

function noteMarkup(
  { errors, doubts, confirmed }: FieldNotes,
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
    ${doubt}. <label><input type="checkbox" name="ok-${name}" value="${text}" /> Save it all the same</label>
  </p>`;
}

/** True if the value of a field is that of the form before anything was typed. */
export const isUntouched = (field: Field, submitted: URLSearchParams, index: number): boolean =>
  submitted.get(`h${index}`) === digestOf(field);

/** Forms change line breaks. */
const digestOf = ({ text, blank }: Field): string =>
  createHash("sha256")
    .update(text === "" ? `blank ${blank}` : `text ${(text ?? "").replaceAll("\r\n", "\n")}`)
    .digest("base64url")
    .slice(0, 12);

/** Keys of one integer are assigned. */
const isRequired = ({ notNull, defaultSql, primaryKeyPosition, affinity }: Column): boolean =>
  notNull && defaultSql === null && !(primaryKeyPosition > 0 && affinity === "integer");

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

const BLANKS: Readonly<Record<Blank, string>> = {
  default: "Default if blank",
  null: "NULL if blank",
  empty: "Empty text if blank",
};

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
