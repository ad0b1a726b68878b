import { BadRequest, type Page, type SqlValue, type Visit } from "rowhouse/plugin-api";
import { addressText, isAddressable } from "rowhouse/plugin-api/engine";
import { rowPath } from "rowhouse/plugin-api/http";
import { matchingRows } from "./rows.js";
import { typedText, type Question } from "./typed-text.js";
import { matchingValues } from "./values.js";

const DEFAULT_SIZE = 10;
const MOST_SIZE = 100;

/**
 * `?q=`: rows whose label contains words that begin with the text, and the row with this key. `?column=`: values of the
 * column instead.
 *
 * @throws BadRequest for an unknown column or an invalid `_size`
 */
export async function autocompleteView(visit: Visit<"table">): Promise<Page> {
  const { query } = visit.request;
  const question: Question = {
    visit,
    text: typedText(query.get("q") ?? ""),
    size: sizeOf(query.get("_size")),
  };
  const column = query.get("column");
  const data = column === null ? await rowsDocument(question) : await valuesDocument(question, column);
  return { name: "autocomplete", data: { ok: true, ...data }, plain: true };
}

function sizeOf(text: string | null): number {
  if (text === null || text === "") return DEFAULT_SIZE;
  if (!/^\d+$/.test(text)) throw new BadRequest("_size must be a positive integer");
  return Math.min(Number(text), MOST_SIZE);
}

async function rowsDocument(question: Question): Promise<Page["data"]> {
  const { keys, label, rows, isComplete } = await matchingRows(question);
  return {
    label_column: label,
    rows: rows.map(({ key, label: text }) => ({
      pks: new Map(keys.map((name, place) => [name, key[place] ?? null])),
      path: pathOf(key),
      label: text,
    })),
    complete: isComplete,
  };
}

/** Null for keys that no address leads to. */
const pathOf = (key: readonly SqlValue[]): string | null =>
  key.every(isAddressable) ? rowPath(key.map(addressText)) || null : null;

async function valuesDocument(question: Question, column: string): Promise<Page["data"]> {
  const { values, isComplete } = await matchingValues(question, column);
  return { column, rows: values, complete: isComplete };
}
