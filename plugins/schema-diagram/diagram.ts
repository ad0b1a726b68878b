import type { Actor, Column, Database, Rowhouse, Table } from "rowhouse/plugin-api";

/** A table of a diagram. The names of the keys are published. */
export interface DiagramTable {
  readonly name: string;
  readonly path: string;
  readonly columns: readonly DiagramColumn[];
  readonly foreign_keys: readonly DiagramKey[];
}

export interface DiagramColumn {
  readonly name: string;
  /** The declared type; empty if there is none. */
  readonly type: string;
  readonly primary_key: boolean;
  readonly not_null: boolean;
}

/** A foreign key: the values of `columns` are those of `other_columns` in a row of `other_table`. */
export interface DiagramKey {
  readonly columns: readonly string[];
  readonly other_table: string;
  readonly other_columns: readonly string[];
}

export interface Diagram {
  readonly tables: readonly DiagramTable[];
  /** True if tables were left out. */
  readonly truncated: boolean;
}

/** A larger diagram can't be read, and the browser would need seconds to lay it out. */
export const MOST_TABLES = 150;

/** The tables that an actor may view, without hidden columns, and the foreign keys between them. Related tables first. */
export async function diagramOf(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<Diagram> {
  const listed = (await rowhouse.serviceIfAny("browse")?.tables(actor, database)) ?? [];
  const tables = listed.map(({ table }) => table).filter(({ kind }) => kind !== "view");
  const ranked = tables.toSorted((one, two) => Number(isRelated(two)) - Number(isRelated(one)));
  const shown = new Map(ranked.slice(0, MOST_TABLES).map((table) => [table.name, table]));
  return {
    tables: [...shown.values()].map((table) => ({
      name: table.name,
      path: rowhouse.urls.table(database.name, table.name),
      columns: table.columns.filter(({ hidden }) => !hidden).map(diagramColumn),
      foreign_keys: table.foreignKeys.flatMap((key) => {
        const other = shown.get(key.otherTable);
        if (other === undefined || !hasAll(other, key.otherColumns)) return [];
        return [{ columns: key.columns, other_table: key.otherTable, other_columns: key.otherColumns }];
      }),
    })),
    truncated: tables.length > shown.size,
  };
}

const isRelated = ({ foreignKeys, incoming }: Table): boolean => foreignKeys.length + incoming.length > 0;

/** The referenced column may be hidden from the actor although its table is not. `rowid` is no column. */
const hasAll = ({ columns }: Table, names: readonly string[]): boolean =>
  names.every((name) => columns.some((column) => column.name === name));

const diagramColumn = ({ name, type, primaryKeyPosition, notNull }: Column): DiagramColumn => ({
  name,
  type,
  primary_key: primaryKeyPosition > 0,
  not_null: notNull,
});
