import { QueryInterrupted, addressText, filterArgument } from "rowhouse/plugin-api";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  SqlValue,
  SuggestionQuestion,
} from "rowhouse/plugin-api";
import { columnNames, columnsThat, frequentValues, readSelection, valuesOf } from "./read.js";

/** By value; foreign keys are shown with their labels. */
export const columnFacet: FacetClass = { type: "column", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const rows = await frequentValues(question, valuesOf(selection, column));
  const labels = await labelsOf(
    question,
    rows.map(([value]) => value ?? null),
  );
  const argument = filterArgument(column);
  return rows.map(([value = null, count]) => {
    const label = labels?.get(String(value));
    return {
      value,
      label: label === undefined ? value : label,
      count: Number(count),
      argument: [argument, addressText(value)],
    };
  });
}

async function labelsOf({ visit, selection, column }: FacetQuestion, found: readonly SqlValue[]) {
  const { database, table } = selection;
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column);
  if (key === undefined) return null;
  return visit.rowhouse.service("tables").labels(visit.actor, database, {
    otherTable: key.otherTable,
    otherColumn: key.otherColumns[0] ?? "",
    values: found,
    request: visit.request,
  });
}

/** Columns with more than one value, fewer than there are rows, few enough to list, and at least one repeated. */
async function suggest(question: SuggestionQuestion): Promise<readonly string[]> {
  const { selection, count } = question;
  if (count === null || count < 3) return [];
  const unique = uniqueColumns(selection.table);
  const columns = columnNames(selection).filter((column) => !unique.has(column));
  return columnsThat(question, columns, (column) => isWorthIt(question, column, count));
}

/** Columns in which no value can repeat. */
function uniqueColumns({ primaryKeys, hasRowid, indexes }: SuggestionQuestion["selection"]["table"]) {
  const single = indexes.flatMap(({ unique, partial, columns }) =>
    unique && !partial && columns.length === 1 ? [columns[0] ?? ""] : [],
  );
  const rowid = primaryKeys.length === 0 && hasRowid ? [] : primaryKeys.length === 1 ? primaryKeys : [];
  return new Set([...single, ...rowid]);
}

async function isWorthIt(
  { visit, selection, size, timeLimitMs }: SuggestionQuestion,
  column: string,
  count: number,
): Promise<boolean> {
  const sql =
    `select value, count(*) from ${valuesOf(selection, column)} where value is not null ` +
    `group by value limit ${size + 1}`;
  try {
    const { rows } = await readSelection(visit, selection, { sql, columns: ["value", "count"], timeLimitMs });
    const distinct = rows.length;
    return (
      distinct > 1 && distinct <= size && distinct < count && rows.some(([, repeats]) => Number(repeats) > 1)
    );
  } catch (error) {
    if (error instanceof QueryInterrupted) return false;
    throw error;
  }
}
