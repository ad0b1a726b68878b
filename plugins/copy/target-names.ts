import type { Schema, Table } from "rowhouse/plugin-api";
import type { Definitions } from "rowhouse/plugin-api/engine";
import type { Sides } from "./copy-target.js";

/** A table with other names for those columns whose names the target does not accept, in its keys and indexes as well. */
export function inTargetNames({ to, losses }: Sides, schema: Schema, table: Table): Table {
  const { definitions } = to.dialect;
  const names = targetNames(definitions, table);
  for (const [name, other] of names) losses.push(`${table.name}: the column "${name}" is named "${other}"`);
  const own = (name: string): string => names.get(name) ?? name;
  return {
    ...table,
    columns: table.columns.map((column) => ({ ...column, name: own(column.name) })),
    primaryKeys: table.primaryKeys.map(own),
    indexes: table.indexes.map((index) => ({
      ...index,
      columns: index.columns.map((name) => (name === null ? null : own(name))),
    })),
    foreignKeys: table.foreignKeys.map((key) => {
      const others = targetNames(definitions, schema.tables.get(key.otherTable));
      return {
        ...key,
        columns: key.columns.map(own),
        otherColumns: key.otherColumns.map((name) => others.get(name) ?? name),
      };
    }),
  };
}

/** The names of columns that are renamed, with their names in the target. */
export function targetNames(definitions: Definitions, table: Table | undefined): ReadonlyMap<string, string> {
  const taken = new Set(table?.columns.map(({ name }) => name.toLowerCase()));
  const renamed = new Map<string, string>();
  for (const { name } of table?.columns ?? []) {
    if (definitions.acceptsColumnName(name)) continue;
    let other = `${name === "" ? "column" : name}_`;
    while (taken.has(other.toLowerCase())) other += "_";
    taken.add(other.toLowerCase());
    renamed.set(name, other);
  }
  return renamed;
}
