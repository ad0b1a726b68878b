import { QueryInterrupted, SqlFailed } from "rowhouse/plugin-api/errors";
import { textOfBytes } from "rowhouse/plugin-api/http";
import type { SqlValue } from "rowhouse/plugin-api";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  SuggestionQuestion,
} from "rowhouse/plugin-api/contracts";
import { columnNames, filterColumns, frequentValues, readSelection, valuesOf } from "./read.js";

/** Facet by element of JSON arrays; a row counts once for each distinct element. */
export const arrayFacet: FacetClass = { type: "array", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const elements =
    `(select distinct row, cast(each.value as text) as value from ` +
    `(select row_number() over () as row, value as list from ${valuesOf(selection, column)}) ` +
    `join json_each(list) as each)`;
  const rows = await frequentValues(question, elements);
  return rows.map(([value = null, count, bytes]) => ({
    value,
    label: value,
    count: Number(count),
    argument: [`${column}__arraycontains`, bytes instanceof Uint8Array ? textOfBytes(bytes) : String(value)],
  }));
}

/** Suggests columns in which every value is a JSON array and all elements are strings. */
function suggest(question: SuggestionQuestion): Promise<readonly string[]> {
  return filterColumns(question, columnNames(question.selection), (column) => holdsArrays(question, column));
}

async function holdsArrays(question: SuggestionQuestion, column: string): Promise<boolean> {
  const notBlank = `from ${valuesOf(question.selection, column)} where value is not null and value != ''`;
  try {
    // Fast check: the first value rules most columns out.
    const otherValues = await readColumn(
      question,
      `select 1 ${notBlank} and substr(ltrim(value), 1, 1) != '[' limit 1`,
    );
    if (otherValues.length > 0) return false;
    const types = await readColumn(question, `select distinct json_type(value) ${notBlank}`);
    if (types.length !== 1 || types[0] !== "array") return false;
    const lists = await readColumn(
      question,
      `select value ${notBlank} and json_array_length(value) > 0 limit 100`,
    );
    return lists.length > 0 && lists.every(holdsOnlyStrings);
  } catch (error) {
    if (error instanceof QueryInterrupted || error instanceof SqlFailed) return false;
    throw error;
  }
}

async function readColumn(
  { visit, selection, timeLimitMs }: SuggestionQuestion,
  sql: string,
): Promise<readonly SqlValue[]> {
  const { rows } = await readSelection(visit, selection, { sql, columns: ["value"], timeLimitMs });
  return rows.map(([value = null]) => value);
}

function holdsOnlyStrings(text: SqlValue): boolean {
  try {
    const list: unknown = JSON.parse(String(text));
    return Array.isArray(list) && list.every((item) => typeof item === "string");
  } catch {
    return false;
  }
}
