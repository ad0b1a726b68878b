import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  SuggestionQuestion,
} from "rowhouse/plugin-api/contracts";
import { columnNames, columnOf, filterColumns, frequentValues, readSelection, valuesOf } from "./read.js";

/** Facet by day. */
export const dateFacet: FacetClass = { type: "date", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const day = selection.database.dialect.dayOf("value", columnOf(selection, column));
  const days = `(select ${day} as value from ${valuesOf(selection, column)} as v)`;
  const rows = await frequentValues(question, days);
  return rows.map(([value = null, count]) => ({
    value,
    label: value,
    count: Number(count),
    argument: [`${column}__date`, String(value)],
  }));
}

/** Suggests columns in which some values are dates. */
function suggest(question: SuggestionQuestion): Promise<readonly string[]> {
  return filterColumns(question, columnNames(question.selection), (column) => holdsDates(question, column));
}

async function holdsDates(
  { visit, selection, timeLimitMs }: SuggestionQuestion,
  column: string,
): Promise<boolean> {
  const source = valuesOf(selection, column);
  const { dialect } = selection.database;
  const declared = columnOf(selection, column);
  const sql =
    `select ${dialect.dayOf("value", declared)} from ${source} as v ` +
    `where ${dialect.resemblesDay("value", declared)}${dialect.limit(100)}`;
  try {
    const { rows } = await readSelection(visit, selection, { sql, columns: ["day"], timeLimitMs });
    return rows.some(([day]) => day !== null);
  } catch (error) {
    if (error instanceof QueryInterrupted) return false;
    throw error;
  }
}
