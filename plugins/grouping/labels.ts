import type { SqlValue, Table } from "rowhouse/plugin-api";
import { labelKey } from "rowhouse/plugin-api/engine";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { switchedTo } from "rowhouse/plugin-api/kernel";
import type { Grouping } from "./arguments.js";
import type { GroupPlan, TableVisit } from "./plan.js";

/** The foreign keys among the groups that the request wants with labels. */
export function labelledColumns(
  { request: { query }, wants }: TableVisit,
  table: Table,
  { groups }: Grouping,
): readonly string[] {
  const named = query.getAll("_label");
  const isOn = switchedTo(query.get("_labels") ?? "") ?? wants.labels;
  return groups
    .filter(({ column, name }) => name === column && foreignKeyOf(table, column) !== undefined)
    .filter(({ column }) => (named.length > 0 ? named.includes(column) : isOn))
    .map(({ name }) => name);
}

const foreignKeyOf = (table: Table, column: string) =>
  table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column);

/** The rows with the labels of the rows to which labelled groups refer, unless the actor may not view these. */
export async function withLabels(
  { visit, selection, grouping, labelled }: GroupPlan,
  rows: readonly (readonly SqlValue[])[],
): Promise<readonly (readonly Cell[])[]> {
  const labels = await Promise.all(
    grouping.groups.map(async ({ name, column }, place) => {
      const key = foreignKeyOf(selection.table, column);
      if (key === undefined || !labelled.includes(name)) return null;
      return visit.rowhouse.service("tables").labels(visit.actor, selection.database, {
        otherTable: key.otherTable,
        otherColumn: key.otherColumns[0] ?? "",
        values: rows.map((row) => row[place] ?? null),
        request: visit.request,
      });
    }),
  );
  return rows.map((row) =>
    row.map((value, place) => {
      const label = value === null ? undefined : labels[place]?.get(labelKey(value));
      return label === undefined ? value : new Labelled(value, label);
    }),
  );
}
