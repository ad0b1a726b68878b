import type { Schema, Table } from "rowhouse/plugin-api";

/** One single-column key, seen from the table it is listed under. */
export interface PublishedKey {
  readonly other_table: string;
  readonly column: string;
  readonly other_column: string;
}

export interface PublishedKeys {
  readonly incoming: readonly PublishedKey[];
  readonly outgoing: readonly PublishedKey[];
}

/**
 * Keys of one column to and from a table; those of several columns and those that point nowhere are not published.
 *
 * @param known which tables may be named
 */
export function publishedKeys(table: Table, schema: Schema, known: (name: string) => boolean): PublishedKeys {
  const isListed = (name: string): boolean => schema.tables.has(name) && known(name);
  const publish = (key: Table["incoming"][number]): readonly PublishedKey[] => {
    const [column, ...more] = key.columns;
    const [otherColumn] = key.otherColumns;
    if (column === undefined || otherColumn === undefined || more.length > 0) return [];
    if (!isListed(key.otherTable)) return [];
    return [{ other_table: key.otherTable, column, other_column: otherColumn }];
  };
  return { incoming: table.incoming.flatMap(publish), outgoing: table.foreignKeys.flatMap(publish) };
}
