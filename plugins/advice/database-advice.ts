import {
  quoteIdentifier,
  type Database,
  type MetadataBlock,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import type { Advice } from "rowhouse/plugin-api/contracts";
import { missingIndex } from "rowhouse/plugin-api/sql";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

/** In smaller tables a scan takes a few milliseconds, so only what is declared or configured is worth an index. */
const MANY_ROWS = 100_000;

/** Columns that people filter or sort by, and why. */
interface WantedIndex {
  readonly reason: string;
  readonly columns: readonly string[];
}

/** The missing indexes of a database, each once, in the order of its tables. */
export async function databaseAdvice(rowhouse: Rowhouse, database: Database): Promise<readonly Advice[]> {
  const schema = await database.schema();
  const metadata = currentMetadata(rowhouse);
  const bySql = new Map<string, Advice>();
  for (const table of schema.tables.values()) {
    if (table.kind !== "table") continue;
    const block = metadata.table(database.name, table.name);
    const wanted = [
      ...foreignKeys(table),
      ...configured(table, block),
      ...((await hasManyRows(database, table)) ? likelyFilters(table) : []),
    ];
    for (const { reason, columns } of wanted) {
      const index = missingIndex(
        schema,
        table,
        columns.map((name) => ({ name, descending: false })),
      );
      if (index !== null && !bySql.has(index.sql)) bySql.set(index.sql, { reason, index: index.sql });
    }
  }
  return [...bySql.values()];
}

/** Pages of the other table count and list the rows that reference theirs. */
const foreignKeys = ({ name, foreignKeys: keys }: Table): WantedIndex[] =>
  keys.map(({ columns, otherTable }) => ({
    reason: `${name}: the foreign key ${columns.join(", ")} to ${otherTable} has no index`,
    columns,
  }));

function configured(table: Table, block: MetadataBlock): WantedIndex[] {
  const named = (key: string): string[] => [block[key]].flat().filter((one) => typeof one === "string");
  const wanted = (what: string, names: readonly string[]): WantedIndex[] =>
    table.columns
      .filter(({ name }) => names.includes(name))
      .map(({ name }) => ({ reason: `${table.name}: the ${what} ${name} has no index`, columns: [name] }));
  return [
    ...wanted("facet", named("facets")),
    ...wanted("sort column", [...named("sort"), ...named("sort_desc"), ...named("sortable_columns")]),
  ];
}

const likelyFilters = (table: Table): WantedIndex[] =>
  table.columns
    .filter(({ name, type }) => /_id$/i.test(name) || /date|time/i.test(type) || /_(at|on|date)$/i.test(name))
    .map(({ name }) => ({
      reason: `${table.name}: people are likely to filter or sort by ${name}, and the table is large`,
      columns: [name],
    }));

async function hasManyRows(database: Database, { name }: Table): Promise<boolean> {
  const { rows } = await database.read(
    `select 1 from ${quoteIdentifier(name)} limit 1 offset ${MANY_ROWS - 1}`,
    [],
  );
  return rows.length > 0;
}
