import { publishedIdentifier } from "rowhouse/plugin-api/sql";
import type { Selection } from "rowhouse/plugin-api/contracts";
import type { Aggregate, Group, Grouping } from "./arguments.js";
import { dateStepSql } from "./date-steps.js";

/** The statement that groups the rows of a selection, without a limit. */
export function groupStatement(selection: Selection, { groups, aggregates, order }: Grouping): string {
  const terms = [...groups.map(groupSql), ...aggregates.map(aggregateSql)];
  const ordered = order.map(({ place, descending }) => `${place + 1}${descending ? " desc" : ""}`);
  return `select ${terms.join(", ")} ${rowsOf(selection)}${groupBy(groups)} order by ${ordered.join(", ")}`;
}

/** The statement that counts the groups. */
export const countStatement = (selection: Selection, { groups }: Grouping): string =>
  `select count(*) from (select ${groups.map(groupSql).join(", ") || "1"} ${rowsOf(selection)}${groupBy(groups)})`;

/** By position: a name could be that of a column of the table, too. */
const groupBy = (groups: readonly Group[]): string =>
  groups.length === 0 ? "" : ` group by ${groups.map((_, place) => place + 1).join(", ")}`;

/** SQLite renames the second of two equal column names, but only if both are selected. */
function rowsOf({ columns, fromWhere }: Selection): string {
  if (new Set(columns).size === columns.length) return fromWhere;
  return `from (select ${columns.map(publishedIdentifier).join(", ")} ${fromWhere})`;
}

const groupSql = ({ column, step }: Group): string =>
  step === null ? publishedIdentifier(column) : dateStepSql(publishedIdentifier(column), step);

const aggregateSql = ({ function: name, column, distinct }: Aggregate): string =>
  column === null ? "count(*)" : `${name}(${distinct ? "distinct " : ""}${publishedIdentifier(column)})`;
