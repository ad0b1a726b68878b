import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  Selection,
  SuggestionQuestion,
} from "rowhouse/plugin-api/contracts";
import { columnOf } from "rowhouse/plugin-api/engine";
import { columnNames, columnsWhere, frequentValues, SAMPLED_ROWS, valuesOf } from "./read.js";

/** Facet by day. */
export const dateFacet: FacetClass = { type: "date", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const day = selection.database.dialect.dayOf("value", columnOf(selection.table, column));
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
  const { selection } = question;
  return columnsWhere(question, columnNames(selection), {
    firstRows: SAMPLED_ROWS,
    holds: (column, values) => someDays(selection, column, values),
  });
}

/** The condition that one of the first values that resemble dates is one. */
function someDays(selection: Selection, column: string, values: string): string {
  const { dialect } = selection.database;
  const declared = columnOf(selection.table, column);
  const days =
    `select ${dialect.dayOf("value", declared)} as day from ${values} as v ` +
    `where ${dialect.resemblesDay("value", declared)}${dialect.limit(100)}`;
  return `exists (select 1 from (${days}) as d where day is not null)`;
}
