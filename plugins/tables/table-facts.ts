import { publishedIdentifier } from "rowhouse/plugin-api";
import type { Table, ColumnFacts, ExpandableColumn, MetadataBlock } from "rowhouse/plugin-api";
import { isSortable } from "./page-arguments.js";

/** What follows from a table's definition alone; worked out once per schema. */
export interface TableFacts {
  readonly table: Table;
  /** The table's own columns. */
  readonly names: ReadonlySet<string>;
  /** A rowid table shows its rowid first. */
  readonly rowidShown: boolean;
  /** All columns a page shows, in order. */
  readonly columns: readonly string[];
  /** Columns that make a row's path, as they are named on the page; empty where rows have none. */
  readonly keys: readonly string[];
  /**
   * Columns that pages are kept apart by. Empty where there are none to be had: such pages are counted off
   * (views, and tables in which another column took the name `rowid`).
   */
  readonly pagingKeys: readonly string[];
  /** Text alone doesn't tell a key of this table: `1` and `'1'` are two rows. */
  readonly hasKeyWithoutAffinity: boolean;
  /** The published order when no sort was asked for: names joined by commas, empty for views. */
  readonly defaultOrder: string;
}

const known = new WeakMap<Table, TableFacts>();

export function tableFacts(table: Table): TableFacts {
  const remembered = known.get(table);
  if (remembered !== undefined) return remembered;
  const facts = computeFacts(table);
  known.set(table, facts);
  return facts;
}

function computeFacts(table: Table): TableFacts {
  const names = table.columns.map(({ name }) => name);
  const rowidShown = table.primaryKeys.length === 0 && table.rowidName !== null;
  const rowidKey = rowidShown ? ["rowid"] : [];
  const keys = table.primaryKeys.length > 0 ? table.primaryKeys : rowidKey;
  return {
    table,
    names: new Set(names),
    rowidShown,
    columns: [...rowidKey, ...names],
    keys,
    pagingKeys: rowidShown && table.rowidName !== "rowid" ? [] : keys,
    hasKeyWithoutAffinity: table.columns.some(
      ({ name, affinity }) => affinity === "blob" && table.primaryKeys.includes(name),
    ),
    defaultOrder: keys.map(publishedIdentifier).join(", "),
  };
}

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
