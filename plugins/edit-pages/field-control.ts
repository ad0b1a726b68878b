import { html, type Column, type Html } from "rowhouse/plugin-api";
import { holdsNumbers } from "rowhouse/plugin-api/engine";
import type { ColumnType, TypedColumns } from "rowhouse/plugin-api/contracts";
import type { ReferenceTo } from "./references.js";
import { textDirection } from "./client/text-direction.js";
import type { Translator } from "rowhouse/plugin-api/html";

/** A field and its column. */
export interface Control {
  readonly t: Translator["t"];
  readonly column: Column;
  /** The column types; null if there are none. */
  readonly types: TypedColumns | null;
  readonly text: string;
  /** The index of the field in the form. Its value is sent as `v<index>`. */
  readonly index: number;
  /** The only values that the table accepts; null for any. */
  readonly choices: readonly string[] | null;
  /** The table to which the column refers; null for none. */
  readonly reference: ReferenceTo | null;
  /** True if a note below the field says what is wrong. */
  readonly isDoubtful: boolean;
  /** True for the field that has the focus at first. */
  readonly isFirst: boolean;
  /** The default that an empty field gets, in SQL; null if it gets none. */
  readonly defaultSql: string | null;
}

/** The input element of a value. */
export function fieldControl(control: Control): Html {
  const { column, types, text, index, reference } = control;
  const options = optionsOf(control);
  if (options !== null) return menu(control, options);
  if (reference !== null && !text.includes("\n")) return referenceControl(control, reference);
  const input = types?.get(column.name)?.is.input;
  const kind = kindOf(control, input);
  const value = kind === "datetime-local" ? text.replace(" ", "T") : text;
  const sent = html`id="v${index}" name="v${index}" value="${value}"`;
  const mode = holdsNumbers(column) ? html`inputmode="decimal"` : html``;
  const step = kind === "datetime-local" ? html`step="1"` : html``;
  if (kind !== "textarea") {
    const attributes = html`${sent} autocomplete="off" ${mode} ${step} ${attributesOf(control)}`;
    return html`<input type="${kind}" ${attributes} />`;
  }
  const least = input === "textarea" ? 4 : 1;
  const rows = Math.min(12, Math.max(least, text.split("\n").length, Math.ceil(text.length / 80)));
  const json = holdsJson(column, types) && html`class="json" data-json spellcheck="false"`;
  const attributes = html`id="v${index}" name="v${index}" rows="${rows}" dir="${textDirection(text)}" ${json}
  ${attributesOf(control)}`;
  // The first line break after the tag is not part of the text.
  return html`<textarea ${attributes}>${`\n${text}`}</textarea>`;
}

/** What assistive technology, and the empty field, say about it. */
const attributesOf = ({ index, isDoubtful, isFirst, defaultSql, t }: Control): Html =>
  html`${isDoubtful && html`aria-invalid="true" aria-describedby="e${index}"`} ${isFirst && "autofocus"}
  ${defaultSql !== null && html`placeholder="${t("edit.default", { sql: defaultSql })}"`}`;

/** Columns of JSON documents, by their column type or their declared type. */
const holdsJson = ({ name, type }: Column, types: TypedColumns | null): boolean =>
  types?.get(name)?.given.type === "json" || /^jsonb?$/i.test(type);

type Option = readonly [value: string, label: string];

/** The entries of a menu: those of a `check`, or yes and no. Null for columns that take any value. */
function optionsOf({ column, choices, text, t }: Control): readonly Option[] | null {
  const isBoolean = /^bool/i.test(column.type) && ["", "0", "1"].includes(text);
  if (choices === null)
    return isBoolean
      ? [
          ["1", t("edit.yes")],
          ["0", t("edit.no")],
        ]
      : null;
  // A value that was stored before the check stays selectable.
  const all = text === "" || choices.includes(text) ? choices : [...choices, text];
  return all.map((value) => [value, value]);
}

const menu = (control: Control, options: readonly Option[]): Html => html`
  <select id="v${control.index}" name="v${control.index}" ${attributesOf(control)}>
    <option value="">
      ${control.defaultSql !== null && control.t("edit.default", { sql: control.defaultSql })}
    </option>
    ${options.map(([value, label]) => html`<option value="${value}" ${value === control.text && "selected"}>${label}</option>`)}
  </select>
`;

/** A field for the key of another row. With scripts it finds rows by their labels. */
const referenceControl = (
  control: Control,
  { completion, href, table, key, label }: ReferenceTo,
): Html => html`
  <span class="reference" ${completion !== null && html`data-completion="${completion}" data-key="${key}"`}>
    <input
      type="text"
      id="v${control.index}"
      name="v${control.index}"
      value="${control.text}"
      autocomplete="off"
      aria-describedby="r${control.index}${control.isDoubtful && ` e${control.index}`}"
      ${control.isDoubtful && html`aria-invalid="true"`}
      ${control.isFirst && "autofocus"}
    />
    <span class="hint" id="r${control.index}"
      ><span data-label>${label ?? ""}</span>
      <a href="${href}" target="_blank" rel="noopener">${table}</a></span
    >
  </span>
`;

const TIME = /^(?!0000)\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?$/;
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

/** False for 30 February and for 24:00, of which browsers show and send nothing. */
function isInCalendar(text: string): boolean {
  const written = text.replace(" ", "T");
  const date = new Date(written.includes("T") ? `${written}Z` : written);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(written);
}

function kindOf(
  control: Control,
  input: ColumnType["input"],
): "text" | "date" | "datetime-local" | NonNullable<ColumnType["input"]> {
  const { column, text, types } = control;
  const isDate = /^date$/i.test(column.type) || types?.get(column.name)?.given.type === "date";
  // Browsers show no other text in such a field.
  if (isDate && (text === "" || (DAY.test(text) && isInCalendar(text)))) return "date";
  const isTime =
    /^(datetime|timestamp(\(\d\))?( without time zone)?)$/i.test(column.type) ||
    types?.get(column.name)?.given.type === "datetime";
  if (isTime && (text === "" || (TIME.test(text) && isInCalendar(text)))) return "datetime-local";
  if (holdsJson(column, types)) return "textarea";
  // An input of one line would remove the line breaks of a text in a column of numbers.
  if (text.includes("\n") || input === "textarea") return "textarea";
  if ((input === "email" || input === "url") && survives(control)) return input;
  return holdsNumbers(column) ? "text" : "textarea";
}

/** Browsers change the value of such an input if it is no address, or contains letters that they encode. */
function survives({ column, types, text }: Control): boolean {
  if (text === "" || types === null) return true;
  const { values, mistakes } = types.accept(new Map([[column.name, text]]));
  return /^[!-~]+$/.test(text) && mistakes.length === 0 && values.get(column.name) === text;
}
