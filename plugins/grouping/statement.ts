import type { SelectedTable, Selection } from "rowhouse/plugin-api/contracts";
import { columnOf } from "rowhouse/plugin-api/engine";
import type { Aggregate, Group, Grouping } from "./arguments.js";

/** The statement that groups the rows of a selection, without a limit. */
export function groupStatement(selection: Selection, { groups, aggregates, order }: Grouping): string {
  const terms = [
    ...groups.map((group) => groupSql(selection, group)),
    ...aggregates.map((aggregate) => aggregateSql(selection, aggregate)),
  ];
  const ordered = order.map(
    ({ place, descending }) => `${place + 1}${descending ? " desc nulls last" : " nulls first"}`,
  );
  return `select ${terms.join(", ")} ${rowsOf(selection)}${groupBy(groups)} order by ${ordered.join(", ")}`;
}

/** The statement that counts the groups of at least one column. */
export function countStatement(selection: Selection, { groups }: Grouping): string {
  const terms = groups.map((group) => groupSql(selection, group)).join(", ");
  return `select count(*) from (select ${terms} ${rowsOf(selection)}${groupBy(groups)}) as g`;
}

/** By position: a name could be that of a column of the table, too. */
const groupBy = (groups: readonly Group[]): string =>
  groups.length === 0 ? "" : ` group by ${groups.map((_, place) => place + 1).join(", ")}`;

/** The second of two equal column names has another name, but only if both are selected. */
function rowsOf({ database, columns, fromWhere }: Selection): string {
  if (new Set(columns).size === columns.length) return fromWhere;
  const all = columns.map((name) => database.dialect.publishedIdentifier(name)).join(", ");
  return `from (select ${all} ${fromWhere}) as r`;
}

/** The value by which a row belongs to a group. */
export function groupSql(
  { database: { dialect }, table }: SelectedTable,
  { column, step, width }: Group,
): string {
  const name = dialect.publishedIdentifier(column);
  const declared = columnOf(table, column);
  if (width !== null) return dialect.interval?.(name, width, declared) ?? dialect.comparable(name, declared);
  if (step !== null) return dialect.dateStep(name, step, declared);
  // Bytes can be grouped as they are.
  return declared?.affinity === "blob" ? name : dialect.comparable(name, declared);
}

function aggregateSql({ database: { dialect }, table }: Selection, one: Aggregate): string {
  if (one.column === null) return "count(*)";
  const name = dialect.publishedIdentifier(one.column);
  const declared = columnOf(table, one.column);
  if (one.function === "avg") return dialect.mean(name, declared);
  const value = one.function === "sum" ? dialect.number(name, declared) : dialect.comparable(name, declared);
  return `${one.function}(${one.distinct ? "distinct " : ""}${value})`;
}
