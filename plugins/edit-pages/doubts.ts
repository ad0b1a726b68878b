import { type Visit, withQuery } from "rowhouse/plugin-api";
import { readApi, tryRow, type RowWrite } from "./api.js";
import { declaresNumbers, isNumberText } from "./client/declared-numbers.js";
import { refusesValue } from "./field-errors.js";
import type { Field } from "./fields.js";
import type { References, ReferenceTo } from "./references.js";
import { tOf } from "./texts.js";
import type { Translator } from "rowhouse/plugin-api/html";

/** The fields to check, and what they refer to. */
export interface Checked {
  /** Only fields whose value will be written. */
  readonly fields: readonly Field[];
  readonly references: References;
}

/**
 * Why values may not be meant, by column: a database would store them all the same. Values that the user has confirmed
 * are left out.
 */
export async function doubtsOf(
  visit: Visit,
  { fields, references }: Checked,
  submitted: URLSearchParams,
): Promise<ReadonlyMap<string, string>> {
  const t = tOf(visit);
  const found = new Map<string, string>();
  for (const field of fields) {
    const { column, text } = field;
    if (text === null || text.trim() === "" || isConfirmed(field, submitted)) continue;
    const doubt =
      (declaresNumbers(column.type) && !isNumberText(text.trim())
        ? t("edit.no_number", { text, type: column.type })
        : null) ??
      (/^jsonb?$/i.test(column.type) ? jsonDoubt(text, t) : null) ??
      (await missingReference(visit, references.get(column.name), text.trim()));
    if (doubt !== null) found.set(column.name, doubt);
  }
  return found;
}

const REFUSED_REFERENCE = "FOREIGN KEY constraint failed";

/**
 * The errors of doubtful values that the database refuses, by column: to confirm them would be of no use. An engine may
 * name only the first value that it refuses, so each is tried without the others.
 *
 * @param writeWithout the write without the values of some columns
 */
export async function refusedDoubts(
  visit: Visit<"table"> | Visit<"row">,
  { fields, references }: Checked,
  doubts: ReadonlyMap<string, string>,
  writeWithout: (columns: ReadonlySet<string>) => RowWrite,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  for (const field of fields) {
    const { name } = field.column;
    const doubt = doubts.get(name);
    if (doubt === undefined) continue;
    const others = new Set([...doubts.keys()].filter((other) => other !== name));
    const { errors } = await tryRow(visit, writeWithout(others));
    const isRefused = errors.some(
      (error) => refusesValue(error, field) || (error === REFUSED_REFERENCE && references.has(name)),
    );
    if (isRefused) refused.set(name, `${doubt}.`);
  }
  return refused;
}

/** The columns whose values the user has confirmed. */
export const confirmedIn = (fields: readonly Field[], submitted: URLSearchParams): ReadonlySet<string> =>
  new Set(fields.filter((field) => isConfirmed(field, submitted)).map(({ column }) => column.name));

const isConfirmed = ({ column, text }: Field, submitted: URLSearchParams): boolean =>
  text !== null && submitted.getAll(`ok-${column.name}`).includes(text);

function jsonDoubt(text: string, t: Translator["t"]): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return t("edit.no_json", { reason: error instanceof Error ? error.message : "" });
  }
}

async function missingReference(
  visit: Visit,
  reference: ReferenceTo | undefined,
  text: string,
): Promise<string | null> {
  if (reference === undefined) return null;
  const filters = [
    [`${reference.key}__exact`, text],
    ["_size", "1"],
    ["_shape", "arrays"],
    ["_nocount", "1"],
    ["_nofacet", "1"],
    ["_nosuggest", "1"],
  ] as const;
  const { ok, document } = await readApi(visit, withQuery(`${reference.href}.json`, filters));
  const { rows } = document;
  return ok && Array.isArray(rows) && rows.length === 0
    ? tOf(visit)("edit.no_key", { text, table: reference.table })
    : null;
}
