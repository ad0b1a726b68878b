import { html, type Column, type Html } from "rowhouse/plugin-api";
import type { ColumnType, TypedColumns } from "rowhouse/plugin-api/contracts";
import type { ReferenceTo } from "./references.js";

/** A field and its column. */
export interface Control {
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
}

/** The input element of a value. */
export function fieldControl(control: Control): Html {
  const { column, types, text, index, reference } = control;
  const options = optionsOf(control);
  if (options !== null) return menu(control, options);
  if (reference !== null && !text.includes("\n")) return referenceControl(control, reference);
  const input = types?.get(column.name)?.is.input;
  const kind = kindOf(control, input);
  const sent = html`id="v${index}" name="v${index}" value="${text}"`;
  const mode = HOLDS_NUMBERS.has(column.affinity) ? html`inputmode="decimal"` : html``;
  if (kind !== "textarea") return html`<input type="${kind}" ${sent} autocomplete="off" ${mode} />`;
  const least = input === "textarea" ? 4 : 1;
  const rows = Math.min(12, Math.max(least, text.split("\n").length, Math.ceil(text.length / 80)));
  // The first line break after the tag is not part of the text.
  return html`<textarea id="v${index}" name="v${index}" rows="${rows}" dir="auto">${`\n${text}`}</textarea>`;
}

type Option = readonly [value: string, label: string];

const BOOLEAN: readonly Option[] = [
  ["1", "yes"],
  ["0", "no"],
];

/** The entries of a menu: those of a `check`, or yes and no. Null for columns that take any value. */
function optionsOf({ column, choices, text }: Control): readonly Option[] | null {
  const isBoolean = /^bool/i.test(column.type) && ["", "0", "1"].includes(text);
  if (choices === null) return isBoolean ? BOOLEAN : null;
  // A value that was stored before the check stays selectable.
  const all = text === "" || choices.includes(text) ? choices : [...choices, text];
  return all.map((value) => [value, value]);
}

const menu = ({ index, text }: Control, options: readonly Option[]): Html => html`
  <select id="v${index}" name="v${index}">
    <option value=""></option>
    ${options.map(([value, label]) => html`<option value="${value}" ${value === text && "selected"}>${label}</option>`)}
  </select>
`;

/** A field for the key of another row. With scripts it finds rows by their labels. */
const referenceControl = (
  { index, text }: Control,
  { completion, href, table, key, label }: ReferenceTo,
): Html => html`
  <span class="reference" ${completion !== null && html`data-completion="${completion}" data-key="${key}"`}>
    <input
      type="text"
      id="v${index}"
      name="v${index}"
      value="${text}"
      autocomplete="off"
      aria-describedby="r${index}"
    />
    <span class="hint" id="r${index}"
      ><span data-label>${label ?? ""}</span>
      <a href="${href}" target="_blank" rel="noopener">${table}</a></span
    >
  </span>
`;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function kindOf(
  control: Control,
  input: ColumnType["input"],
): "text" | "date" | NonNullable<ColumnType["input"]> {
  const { column, text, types } = control;
  const isDate = /^date$/i.test(column.type) || types?.get(column.name)?.given.type === "date";
  // Browsers show no other text in such a field.
  if (isDate && (text === "" || DAY.test(text))) return "date";
  // An input of one line would remove the line breaks of a text in a column of numbers.
  if (text.includes("\n") || input === "textarea") return "textarea";
  if ((input === "email" || input === "url") && survives(control)) return input;
  return HOLDS_NUMBERS.has(column.affinity) ? "text" : "textarea";
}

/** Browsers change the value of such an input if it is no address, or contains letters that they encode. */
function survives({ column, types, text }: Control): boolean {
  if (text === "" || types === null) return true;
  const { values, mistakes } = types.accept(new Map([[column.name, text]]));
  return /^[!-~]+$/.test(text) && mistakes.length === 0 && values.get(column.name) === text;
}

/** Affinities of columns with numbers. */
export const HOLDS_NUMBERS: ReadonlySet<string> = new Set(["integer", "real", "numeric"]);
