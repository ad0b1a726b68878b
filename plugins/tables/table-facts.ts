import { publishedIdentifier } from "rowhouse/plugin-api";
import type { Table } from "rowhouse/plugin-api";

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
  const facts = workOut(table);
  known.set(table, facts);
  return facts;
}

function workOut(table: Table): TableFacts {
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
