import { BadRequest, type Database, type Rowhouse, type Table } from "rowhouse/plugin-api";
import { escapedBytes } from "rowhouse/plugin-api/http";
import type { FilterClause, FilteredRows, ReadableTable } from "rowhouse/plugin-api/contracts";
import type { Comparison, Dialect, FilterCondition } from "rowhouse/plugin-api/engine";
import { findByName } from "rowhouse/plugin-api/names";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { isolatedRowSource, noConditions, withClauses } from "./conditions.js";
import { findOperator, type Operator } from "./operators.js";
import { convertQuantity, unitsOfTable, type UnitsOfTable } from "./units.js";

/** One `column__operator=value` of the query string. */
export interface ColumnFilter {
  readonly column: string;
  readonly op: string;
  readonly value: string;
}

type Argument = readonly [name: string, value: string];

/**
 * The column filters of a query string, sorted by argument name and value, which is the order of their
 * conditions. Arguments that begin with `_` are filters only if they contain `__`; unknown operators are ignored.
 */
export function columnFilters(query: Iterable<Argument>): readonly ColumnFilter[] {
  const filters: ColumnFilter[] = [];
  for (const [sent, value] of [...query].filter(isFilterArgument).toSorted(byNameThenValue)) {
    const name = sent.toWellFormed();
    const at = name.lastIndexOf("__");
    const column = at === -1 ? name : name.slice(0, at);
    const op = at === -1 ? "exact" : name.slice(at + 2);
    if (findOperator(op) !== undefined) filters.push({ column, op, value });
  }
  return filters;
}

/** True for a column filter, false for an argument that Rowhouse or a plugin reads itself. */
export const isFilterArgument = ([name]: Argument): boolean => !name.startsWith("_") || name.includes("__");

const byNameThenValue = (left: Argument, right: Argument): number =>
  compare(left[0], right[0]) || compare(left[1], right[1]);

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/**
 * Converts filters to SQL conditions.
 *
 * @throws BadRequest for too many filters or parameters, or if a value can't be parsed or converted to the unit of its column
 */
export const filterClauses = (
  filters: readonly ColumnFilter[],
  database: Database,
  table: Table,
  units: UnitsOfTable,
): readonly FilterClause[] => {
  requireFewFilters(filters.length);
  let parameters = 0;
  return filters.flatMap((filter) => {
    const operator = findOperator(filter.op);
    if (operator === undefined) return [];
    const { where, executedWhere, publishedWhere, values } = filterCondition(operator, filter, {
      dialect: database.dialect,
      table,
      units,
    });
    parameters += values.length;
    if (parameters > MOST_PARAMETERS)
      throw new BadRequest(`Filters may have at most ${MOST_PARAMETERS} parameters`);
    return [
      {
        where,
        publishedWhere,
        executedWhere,
        ...(operator.leakproof === true && { leakproof: [filter.column] }),
        params: Object.fromEntries(values.map((item, index) => [`p${index}`, item])),
        description: operator.describe(filter.column, filter.value),
      },
    ];
  });
};

/** More conditions would block the event loop. */
const MOST_FILTERS = 1_000;

/** @throws BadRequest for more filters than a page may have */
export function requireFewFilters(count: number): void {
  if (count > MOST_FILTERS) throw new BadRequest(`At most ${MOST_FILTERS} filters are allowed, not ${count}`);
}

/** A long list is one parameter if the engine can read it from a text. More parameters would block the event loop. */
const MOST_PARAMETERS = 5_000;

interface FilteredTable {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly units: UnitsOfTable;
}

function filterCondition(
  operator: Operator,
  { column, value }: ColumnFilter,
  { dialect, table, units }: FilteredTable,
): FilterCondition {
  const unit = units.byColumn.get(column);
  const inUnit = (text: string): string =>
    unit === undefined || text === "" || escapedBytes(text) !== null
      ? text
      : convertQuantity(text, unit, units.custom);
  const comparison = operator.comparison(operator.compares === true ? inUnit(value) : value, column);
  return dialect.filter({ table, name: column }, withListIn(comparison, inUnit));
}

/** The comparison with the texts of its list in the unit of the column. */
const withListIn = (comparison: Comparison, inUnit: (text: string) => string): Comparison =>
  comparison.kind === "in"
    ? {
        ...comparison,
        values: comparison.values.map((item) => (typeof item === "string" ? inUnit(item) : item)),
      }
    : comparison;

/**
 * The rows of a source that match column filters. A page ignores a filter with an unknown operator; this function throws,
 * because callers may change or delete the rows.
 *
 * @throws BadRequest for an unknown column or a value that can't be parsed
 */
export function filteredRows(
  rowhouse: Rowhouse,
  database: Database,
  source: ReadableTable,
  filters: readonly (readonly [name: string, value: string])[],
): FilteredRows {
  const { table } = source;
  requireFewFilters(filters.length);
  const read = filters.map(([name, value]) => readFilter(table, name, value));
  const metadata = currentMetadata(rowhouse);
  const units = unitsOfTable(metadata.table(database.name, table.name), metadata.document);
  const clauses = filterClauses(read, database, table, units);
  const conditions = withClauses(noConditions, clauses);
  const rows = isolatedRowSource(database.dialect, source, { clauses, conditions });
  const params = { ...conditions.params, ...source.params };
  return { table, source: rows.source, where: rows.where, params };
}

/** Splits `column__operator`. For a column whose own name ends in an operator, callers add `__exact`. */
function readFilter(table: Table, name: string, value: string): ColumnFilter {
  const at = name.lastIndexOf("__");
  const op = at === -1 ? "" : name.slice(at + 2);
  if (findOperator(op) !== undefined) return { column: columnOf(table, name.slice(0, at)), op, value };
  return { column: columnOf(table, name), op: "exact", value };
}

function columnOf(table: Table, name: string): string {
  const { columns, rowidName } = table;
  const found = findByName(rowidName === null ? columns : [...columns, { name: rowidName }], name);
  if (found === undefined) throw new BadRequest(`no such column: ${name}`);
  return found.name;
}
