import type { Column, Table } from "rowhouse/plugin-api";

/** A table with each type of column. */
export const createExample = {
  table: "new_table",
  columns: [
    { name: "id", type: "integer" },
    { name: "title", type: "text" },
    { name: "price", type: "float" },
  ],
  pk: "id",
} as const;

/**
 * A row that fits the table: `new` has no key if SQLite generates it, `known` has every key, `change` has no keys.
 */
export function rowExample(
  table: Table,
  purpose: "new" | "known" | "change",
): Readonly<Record<string, unknown>> {
  const columns = table.columns.filter(({ generated, hidden }) => generated === "no" && !hidden);
  const wanted = columns.filter((column) => {
    const isKey = table.primaryKeys.includes(column.name);
    if (purpose === "change") return !isKey;
    return purpose === "known" || !(isKey && isGiven(table, column));
  });
  const rowid = purpose === "known" && table.primaryKeys.length === 0 ? [["rowid", 1] as const] : [];
  return Object.fromEntries([
    ...rowid,
    ...wanted.map((column) => [column.name, exampleValue(column)] as const),
  ]);
}

/** An integer key of a rowid table is generated if it is missing. */
const isGiven = (table: Table, column: Column): boolean =>
  table.hasRowid && table.primaryKeys.length === 1 && column.type.toLowerCase() === "integer";

function exampleValue({ affinity, notNull }: Column): unknown {
  if (affinity === "integer") return notNull ? 0 : null;
  if (affinity === "real" || affinity === "numeric") return notNull ? 0 : null;
  return affinity === "text" ? "" : null;
}
