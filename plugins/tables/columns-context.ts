import type { ColumnFacts, ExpandableColumn, MetadataBlock } from "rowhouse/plugin-api";
import { isSortable } from "./sort.js";
import type { TableFacts } from "./table-facts.js";

/** What is known about these columns of a table, for pages. */
export function columnFacts(
  facts: TableFacts,
  columns: readonly string[],
  metadata: MetadataBlock,
  expandable: readonly ExpandableColumn[],
): readonly ColumnFacts[] {
  const declared = new Map(facts.table.columns.map((column) => [column.name, column]));
  return columns.map((name) => {
    const column = declared.get(name);
    const key = expandable.find((one) => one.column === name);
    return {
      name,
      type: column?.type ?? "",
      notNull: column?.notNull ?? false,
      isPrimaryKey: facts.keys.includes(name),
      sortable: isSortable(facts, metadata, name),
      description: textIn(metadata["columns"], name),
      unit: textIn(metadata["units"], name),
      foreignKey: key === undefined ? null : { otherTable: key.otherTable, otherColumn: key.otherColumn },
    };
  });
}

/** An own text property of a metadata block. */
export function textIn(block: unknown, name: string): string | null {
  if (typeof block !== "object" || block === null || !Object.hasOwn(block, name)) return null;
  const value: unknown = (block as MetadataBlock)[name];
  return typeof value === "string" ? value : null;
}
