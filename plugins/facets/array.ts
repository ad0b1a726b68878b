import { textOfBytes } from "rowhouse/plugin-api/http";
import type { SqlValue } from "rowhouse/plugin-api";
import { columnOf, type ArrayTests } from "rowhouse/plugin-api/engine";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  Selection,
  SuggestionQuestion,
} from "rowhouse/plugin-api/contracts";
import {
  columnNames,
  columnsWhere,
  frequentValues,
  isRefusal,
  readSelection,
  valuesOf,
  whileInTime,
} from "./read.js";

/** Facet by element of JSON arrays; a row counts once for each distinct element. */
export const arrayFacet: FacetClass = { type: "array", values, suggest };

async function values(question: FacetQuestion): Promise<readonly FacetValue[]> {
  const { selection, column } = question;
  const { dialect } = selection.database;
  const elements = dialect.arrayElements(valuesOf(selection, column), columnOf(selection.table, column));
  const rows = await frequentValues(question, elements);
  return rows.map(([value = null, count, bytes]) => ({
    value,
    label: value,
    count: Number(count),
    argument: [`${column}__arraycontains`, bytes instanceof Uint8Array ? textOfBytes(bytes) : String(value)],
  }));
}

const FIRST_ROWS = 1_000;

/** Suggests columns in which every value is a JSON array and all elements are strings. */
async function suggest(question: SuggestionQuestion): Promise<readonly string[]> {
  const { selection, count } = question;
  const readsAll = count !== null && count <= FIRST_ROWS;
  // Fast check: the first values rule most columns out.
  const candidates = await columnsWhere(question, columnNames(selection), {
    firstRows: FIRST_ROWS,
    holds(column, values) {
      const onlyArrays = `not exists (${testsOf(selection, column, values).others})`;
      const filled = `exists (select 1 from ${values} as v where value is not null)`;
      return readsAll ? `${filled} and ${onlyArrays}` : onlyArrays;
    },
  });
  const tested = await whileInTime(question, candidates, async (column) =>
    (await holdsArrays(question, column)) ? [column] : [],
  );
  return tested.flat();
}

function testsOf(selection: Selection, column: string, values: string): ArrayTests {
  return selection.database.dialect.arrayTests(values, columnOf(selection.table, column));
}

async function holdsArrays(question: SuggestionQuestion, column: string): Promise<boolean> {
  const { selection } = question;
  const tests = testsOf(selection, column, valuesOf(selection, column));
  try {
    const types = await readColumn(question, tests.types);
    if (types.length !== 1 || types[0] !== "array") return false;
    const lists = await readColumn(question, tests.samples);
    return lists.length > 0 && lists.every(holdsOnlyStrings);
  } catch (error) {
    if (isRefusal(error)) return false;
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
