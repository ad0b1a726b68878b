import { html, type Column, type Html } from "rowhouse/plugin-api";
import type { ColumnType, TypedColumns } from "rowhouse/plugin-api/contracts";

/** A field and its column. */
export interface Control {
  readonly column: Column;
  /** The column types; null if there are none. */
  readonly types: TypedColumns | null;
  readonly text: string;
  /** The index of the field in the form. Its value is sent as `v<index>`. */
  readonly index: number;
}

/** The input element of a value. */
export function fieldControl(control: Control): Html {
  const { column, types, text, index } = control;
  const input = types?.get(column.name)?.is.input;
  const kind = kindOf(control, input);
  if (kind !== "textarea")
    return html`<input type="${kind}" id="v${index}" name="v${index}" value="${text}" autocomplete="off" />`;
  const least = input === "textarea" ? 4 : 1;
  const rows = Math.min(12, Math.max(least, text.split("\n").length, Math.ceil(text.length / 80)));
  // The first line break after the tag is not part of the text.
  return html`<textarea id="v${index}" name="v${index}" rows="${rows}" dir="auto">${`\n${text}`}</textarea>`;
}

function kindOf(control: Control, input: ColumnType["input"]): "text" | NonNullable<ColumnType["input"]> {
  const { column, text } = control;
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
