import { BadRequest } from "rowhouse/plugin-api";
import type { Actor, Database, FilteredRows, Rowhouse, Table } from "rowhouse/plugin-api";
import { filterClauses } from "./column-filters.js";
import type { ColumnFilter } from "./column-filters.js";
import { noConditions, withClauses } from "./conditions.js";
import { findOperator } from "./operators.js";
import { alwaysBarredRows } from "./row-barrier.js";
import { guarded } from "./view-barrier.js";
import { readable } from "./readable.js";
import { unitsOfTable } from "./table-units.js";

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
  const scoped = await guarded(rowhouse, actor, database, await readable(rowhouse, actor, database, table));
  const read = filters.map(([name, value]) => readFilter(scoped.table, name, value));
  const metadata = rowhouse.serviceIfAny("metadata")?.current();
  const units = unitsOfTable(metadata?.table(database.name, table.name) ?? {}, metadata?.document);
  const clauses = filterClauses(read, scoped.table, units);
  const conditions = withClauses(noConditions, clauses);
  const { source, where } = alwaysBarredRows(scoped, { clauses, conditions });
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
