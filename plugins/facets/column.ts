import { isUtf8 } from "node:buffer";
import { columnOf, labelKey, selectingArgument } from "rowhouse/plugin-api/engine";
import { filterArgument, textOfBytes, type Pair } from "rowhouse/plugin-api/http";
import type { SqlValue } from "rowhouse/plugin-api";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  Selection,
  SuggestionQuestion,
} from "rowhouse/plugin-api/contracts";
import { columnNames, columnsWhere, frequentValues, SAMPLED_ROWS, valuesOf } from "./read.js";

/** Facet by value; foreign keys are shown with their labels. */
export const columnFacet: FacetClass = { type: "column", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const rows = await frequentValues(
    question,
    comparableValues(selection, column, valuesOf(selection, column)),
  );
  const labels = await labelsOf(
    question,
    rows.map(([value]) => value ?? null),
  );
  return rows.map(([value = null, count, bytes]) => {
    const label = labels?.get(labelKey(value));
    return {
      value,
      label: label === undefined ? value : label,
      count: Number(count),
      argument: argumentOf(question, value, bytes),
    };
  });
}

/** The values of a column as a source whose column `value` can be grouped. */
function comparableValues(selection: Selection, column: string, values: string): string {
  const declared = columnOf(selection.table, column);
  // Bytes can be grouped as they are.
  if (declared?.affinity === "blob") return values;
  const value = selection.database.dialect.comparable("value", declared);
  return value === "value" ? values : `(select ${value} as value from ${values} as v)`;
}

/** @param bytes of a text that may not be UTF-8 */
function argumentOf(
  { selection: { table }, column }: FacetQuestion,
  value: SqlValue,
  bytes: SqlValue | undefined,
): Pair {
  if (bytes instanceof Uint8Array && !isUtf8(bytes)) return [filterArgument(column), textOfBytes(bytes)];
  if (!(value instanceof Uint8Array)) return selectingArgument(table, column, value ?? "");
  if (!isUtf8(value)) return [filterArgument(column), textOfBytes(value)];
  // The same bytes as they are would select text.
  const encoded = Buffer.from(value).toString("base64");
  return [`${column}__in`, JSON.stringify([{ $base64: true, encoded }])];
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

/** Suggests columns that have several values in the first rows, few enough to list, of which at least one repeats. */
async function suggest(question: SuggestionQuestion): Promise<readonly string[]> {
  const { selection, count } = question;
  if (count === null || count < 3) return [];
  const unique = uniqueColumns(selection.table);
  const columns = columnNames(selection).filter((column) => !unique.has(column));
  const comparable = (column: string, values: string) => comparableValues(selection, column, values);
  const few =
    count > FIRST_ROWS
      ? await columnsWhere(question, columns, {
          firstRows: FIRST_ROWS,
          holds: (column, values) => fewValues(question, comparable(column, values)),
        })
      : columns;
  return columnsWhere(question, few, {
    firstRows: SAMPLED_ROWS,
    holds: (column, values) => repeatingValues(question, comparable(column, values)),
  });
}

/** Columns whose values are unique by constraint. */
function uniqueColumns({ primaryKeys, indexes }: SuggestionQuestion["selection"]["table"]) {
  const single = indexes.flatMap(({ unique, partial, columns }) =>
    unique && !partial && columns.length === 1 ? [columns[0] ?? ""] : [],
  );
  return new Set([...single, ...(primaryKeys.length === 1 ? primaryKeys : [])]);
}

/** Most columns have too many values in as many rows. These are read in a millisecond, for all columns together. */
const FIRST_ROWS = 1_000;

/** The condition that there are not too many values to list. */
function fewValues({ selection, size }: SuggestionQuestion, values: string): string {
  const limit = selection.database.dialect.limit(size + 1);
  const distinct = `select distinct value from ${values} as v where value is not null${limit}`;
  return `(select count(*) from (${distinct}) as d) <= ${size}`;
}

/**
 * The condition that there are several values, few enough to list, and that one of them repeats: then there are more
 * rows than values. Reading ends with the first value too many, and nothing is sorted.
 */
function repeatingValues({ selection, size }: SuggestionQuestion, values: string): string {
  const limit = selection.database.dialect.limit(size + 1);
  const some = `from ${values} as v where value is not null`;
  const distinct = `select count(*) as n from (select distinct value ${some}${limit}) as d`;
  const rows = `select count(*) from (select 1 as one ${some}${limit}) as r`;
  return `(select n between 2 and ${size} and n < (${rows}) from (${distinct}) as c)`;
}
