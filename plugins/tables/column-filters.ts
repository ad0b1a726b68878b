import { BadRequest, escapedBytes } from "rowhouse/plugin-api";
import type { FilterClause, Table, Actor, Database, FilteredRows, Rowhouse } from "rowhouse/plugin-api";
import { findOperator } from "./operators.js";
import type { Operator } from "./operators.js";
import { convertQuantity, unitsOfTable } from "./units.js";
import type { CustomUnits } from "./units.js";
import { noConditions, withClauses, isolatedRowSource } from "./conditions.js";
import { withBarrier, readable } from "./readable.js";

/** One `column__operator=value` of the query string. */
export interface ColumnFilter {
  readonly column: string;
  readonly op: string;
  readonly value: string;
}

export interface UnitsOfTable {
  readonly byColumn: ReadonlyMap<string, string>;
  readonly custom: CustomUnits;
}

type Argument = readonly [name: string, value: string];

/**
 * The column filters of a query string, sorted by argument name and value, which is the order of their
 * conditions. Arguments beginning with `_` are filters only when they hold `__`; unknown operators are passed over.
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

/** Is this a column filter, rather than an argument that Rowhouse or a plugin reads itself? */
export const isFilterArgument = ([name]: Argument): boolean => !name.startsWith("_") || name.includes("__");

const byNameThenValue = (left: Argument, right: Argument): number =>
  compare(left[0], right[0]) || compare(left[1], right[1]);

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/**
 * The filters as conditions.
 *
 * @throws BadRequest when a value can't be read or converted to its column's unit
 */
export const filterClauses = (
  filters: readonly ColumnFilter[],
  table: Table,
  units: UnitsOfTable,
): readonly FilterClause[] =>
  filters.flatMap((filter) => {
    const operator = findOperator(filter.op);
    return operator === undefined ? [] : [filterClause(operator, filter, table, units)];
  });

function filterClause(
  operator: Operator,
  { column, value }: ColumnFilter,
  table: Table,
  units: UnitsOfTable,
): FilterClause {
  const unit =
    operator.compares === true && value !== "" && escapedBytes(value) === null
      ? units.byColumn.get(column)
      : undefined;
  const converted = unit === undefined ? value : convertQuantity(value, unit, units.custom);
  const { where, values } = operator.condition({
    table: table.name,
    column,
    value: converted,
    untyped: isComputed(table, column),
  });
  return {
    where,
    ...(operator.leakproof === true && { leakproof: [column] }),
    params: Object.fromEntries(values.map((item, index) => [`p${index}`, item])),
    description: operator.says(column, value),
  };
}

/** What a view computes has no type unless it is cast; nobody chose that, as somebody did for a table's column. */
const isComputed = ({ kind, columns }: Table, column: string): boolean =>
  kind === "view" && columns.find(({ name }) => name === column)?.affinity === "blob";

interface Asked {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
  readonly filters: readonly (readonly [name: string, value: string])[];
}

/**
 * The rows that column filters select of those the actor may read. Where a page passes over a filter it does not
 * understand, this refuses: what is done to the rows may not be undone.
 *
 * @throws BadRequest
 */
export async function filteredRows(
  rowhouse: Rowhouse,
  { actor, database, table, filters }: Asked,
): Promise<FilteredRows> {
  const scoped = await withBarrier(
    rowhouse,
    actor,
    database,
    await readable(rowhouse, actor, database, table),
  );
  const read = filters.map(([name, value]) => readFilter(scoped.table, name, value));
  const metadata = rowhouse.serviceIfAny("metadata")?.current();
  const units = unitsOfTable(metadata?.table(database.name, table.name) ?? {}, metadata?.document);
  const clauses = filterClauses(read, scoped.table, units);
  const conditions = withClauses(noConditions, clauses);
  const { source, where } = isolatedRowSource(scoped, { clauses, conditions });
  return {
    table: scoped.table,
    source,
    where,
    params: { ...conditions.params, ...scoped.params },
  };
}

/** A column whose own name ends like an operator is reached by adding `__exact`. */
function readFilter(table: Table, name: string, value: string): ColumnFilter {
  const at = name.lastIndexOf("__");
  const op = at === -1 ? "" : name.slice(at + 2);
  if (findOperator(op) !== undefined) return { column: columnOf(table, name.slice(0, at)), op, value };
  return { column: columnOf(table, name), op: "exact", value };
}

function columnOf(table: Table, name: string): string {
  const names = table.columns.map((column) => column.name);
  if (table.rowidName !== null) names.push(table.rowidName);
  const found = names.find((one) => one.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw new BadRequest(`no such column: ${name}`);
  return found;
}
