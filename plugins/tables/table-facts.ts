import type { MetadataBlock, Table } from "rowhouse/plugin-api";
import type { ColumnFacts, ExpandableColumn } from "rowhouse/plugin-api/contracts";

/** Facts that follow from a table's definition; computed once per schema. */
export interface TableFacts {
  readonly table: Table;
  /** The declared columns of the table. */
  readonly names: ReadonlySet<string>;
  /** True if the page shows the rowid as first column. */
  readonly rowidShown: boolean;
  /** All columns of a page, in order. */
  readonly columns: readonly string[];
  /** Columns that form a row's path, named as on the page; empty if rows have no path. */
  readonly keys: readonly string[];
  /**
   * Key columns for keyset paging. Empty if there are none (views, and tables with another column named `rowid`), or if
   * rows of other tables, with the same keys, are read with those of the table; such pages use offsets.
   */
  readonly pagingKeys: readonly string[];
  /** A key column has no affinity: `1` and `'1'` are two rows, so text does not identify a row. */
  readonly hasKeyWithoutAffinity: boolean;
  /** The hidden column that full-text tables have for searches, named like the table: each statement has other values. */
  readonly unstableColumns: ReadonlySet<string>;
}

const factsByTable = new WeakMap<Table, TableFacts>();

export function tableFacts(table: Table): TableFacts {
  const cached = factsByTable.get(table);
  if (cached !== undefined) return cached;
  const facts = computeFacts(table);
  factsByTable.set(table, facts);
  return facts;
}

function computeFacts(table: Table): TableFacts {
  const names = table.columns.map(({ name }) => name);
  const rowidShown = table.primaryKeys.length === 0 && table.rowidName !== null;
  const rowidKey = rowidShown ? ["rowid"] : [];
  const keys = table.primaryKeys.length > 0 ? table.primaryKeys : rowidKey;
  const pagesByKey = !(rowidShown && table.rowidName !== "rowid") && table.inheritingTables === undefined;
  return {
    table,
    names: new Set(names),
    rowidShown,
    columns: [...rowidKey, ...names],
    keys,
    pagingKeys: pagesByKey ? keys : [],
    hasKeyWithoutAffinity: table.columns.some(
      ({ name, affinity }) => affinity === "blob" && table.primaryKeys.includes(name),
    ),
    unstableColumns: new Set(
      table.columns.flatMap(({ name, hidden }) => (hidden && name === table.name ? name : [])),
    ),
  };
}

/** Column facts for the page context. */
export function columnFacts(
  facts: TableFacts,
  columns: readonly string[],
  metadata: MetadataBlock,
  expandable: readonly ExpandableColumn[],
): readonly ColumnFacts[] {
  const declared = new Map(facts.table.columns.map((column) => [column.name, column]));
  return columns.map((name) => {
    const column = declared.get(name);
    // Of two keys of a column, the labels of rows are those of the last one.
    const key = expandable.findLast((one) => one.column === name);
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

/** A text property of a metadata block; null if absent. */
function textIn(block: unknown, name: string): string | null {
  if (typeof block !== "object" || block === null || !Object.hasOwn(block, name)) return null;
  const value: unknown = (block as MetadataBlock)[name];
  return typeof value === "string" ? value : null;
}

/** True if pages can be sorted by `column`: one of the metadata's `sortable_columns`, or any if there are none. */
export function isSortable(facts: TableFacts, metadata: MetadataBlock, column: string): boolean {
  if (facts.rowidShown && column === "rowid") return true;
  const listed = metadata["sortable_columns"];
  if (!Array.isArray(listed)) return facts.names.has(column);
  return listed.includes(column) && facts.names.has(column);
}
