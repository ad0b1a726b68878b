import { html } from "rowhouse/plugin-api";
import type { Column, ColumnType, Html, TypedColumns } from "rowhouse/plugin-api";

/** A field and what it is for. */
export interface Control {
  readonly column: Column;
  /** What columns are said to hold, null where nothing is. */
  readonly types: TypedColumns | null;
  readonly text: string;
  /** Its place in the form: what is typed is sent as `v<index>`. */
  readonly index: number;
}

/** The field in which a value is typed. */
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
  // A field of one line would drop the breaks of a text that stands among numbers.
  if (text.includes("\n") || input === "textarea") return "textarea";
  if ((input === "email" || input === "url") && survives(control)) return input;
  return HOLDS_NUMBERS.has(column.affinity) ? "text" : "textarea";
}

/** Browsers change what stands in such a field when it is no address, or has letters that they write otherwise. */
function survives({ column, types, text }: Control): boolean {
  if (text === "" || types === null) return true;
  const { values, mistakes } = types.accept(new Map([[column.name, text]]));
  return /^[!-~]+$/.test(text) && mistakes.length === 0 && values.get(column.name) === text;
}

/** Affinities of columns that hold numbers. */
export const HOLDS_NUMBERS: ReadonlySet<string> = new Set(["integer", "real", "numeric"]);
