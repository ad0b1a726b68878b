import { databaseColor, pageMetadata } from "rowhouse/plugin-api";
import type {
  Actor,
  Database,
  IndexContext,
  IndexEntry,
  ListedTable,
  Page,
  Rowhouse,
  Visit,
} from "rowhouse/plugin-api";
import { compareNames, listedTable, visibleContents } from "./contents.js";
import type { Contents, Visible } from "./contents.js";
import { tableCounter } from "./counter.js";
import { publishedKeys } from "./foreign-keys.js";
import { visibleDatabases } from "./visible-databases.js";
import type { VisibleDatabase } from "./visible-databases.js";

const SHOWN_PER_DATABASE = 5;
const COUNT_LIMIT_MS = 10;
const LARGEST_COUNTED_BYTES = 100 * 1024 * 1024;

/** All databases that the visitor may view, each with its most telling tables. */
export async function indexView(visit: Visit<"instance">): Promise<Page> {
  const { rowhouse, request, actor } = visit;
  const byRelationships = request.query.get("_sort") === "relationships";
  const visible = await visibleDatabases(rowhouse, actor);
  const databases = await Promise.all(
    visible.map((one) => describe(rowhouse, { ...one, actor, byRelationships })),
  );
  const context: IndexContext = {
    metadata: pageMetadata(rowhouse.serviceIfAny("metadata")?.current().document ?? {}),
    private: visit.private,
    databases,
  };
  return {
    name: "index",
    data: Object.fromEntries(databases.map((entry) => [entry.name, entry])),
    context: { ...context },
    plain: true,
  };
}

interface Asked extends VisibleDatabase {
  readonly actor: Actor | null;
  readonly byRelationships: boolean;
}

async function describe(rowhouse: Rowhouse, asked: Asked): Promise<IndexEntry> {
  const { database, actor } = asked;
  const [contents, { hash, sizeBytes }] = await Promise.all([
    visibleContents(rowhouse, { actor, database, above: [] }),
    database.describe(),
  ]);
  const isCounted = !database.mutable || sizeBytes < LARGEST_COUNTED_BYTES;
  const counts = isCounted ? await countAll(rowhouse, database, contents.tables) : NO_COUNTS;
  const tables = listTables(contents, counts, asked.byRelationships || counts.size === 0);
  const listed = tables.filter(({ hidden }) => !hidden);
  const hidden = tables.filter((table) => table.hidden);
  return {
    name: database.name,
    hash,
    color: databaseColor(database.name, hash),
    path: rowhouse.urls.database(database.name),
    tables_and_views_truncated: [...mostTelling(listed), ...contents.views].slice(0, SHOWN_PER_DATABASE),
    tables_and_views_more: listed.length + contents.views.length > SHOWN_PER_DATABASE,
    tables_count: listed.length,
    table_rows_sum: sumOfCounts(listed),
    show_table_row_counts: counts.size > 0,
    hidden_table_rows_sum: sumOfCounts(hidden),
    hidden_tables_count: hidden.length,
    views_count: contents.views.length,
    private: asked.private,
  };
}

type Counts = ReadonlyMap<string, number>;
const NO_COUNTS: Counts = new Map();

/** One table that takes too long is enough to give up on all: a sum of some would mislead. */
async function countAll(rowhouse: Rowhouse, database: Database, tables: readonly Visible[]): Promise<Counts> {
  const countTable = tableCounter(rowhouse, database, COUNT_LIMIT_MS);
  const counts = new Map<string, number>();
  for (const { table, readable } of tables) {
    const count = await countTable(readable);
    if (count === null) return NO_COUNTS;
    counts.set(table.name, count);
  }
  return counts;
}

interface SortableTable extends ListedTable {
  readonly num_relationships_for_sorting: number;
}

function listTables(
  contents: Contents,
  counts: Counts,
  withRelationships: boolean,
): readonly SortableTable[] {
  return contents.tables.map((visible) => {
    const { private: isPrivate, ...facts } = listedTable(visible, counts.get(visible.table.name) ?? null);
    const relationships = withRelationships ? countRelationships(visible, contents) : 0;
    return { ...facts, num_relationships_for_sorting: relationships, private: isPrivate };
  });
}

function countRelationships({ table }: Visible, { schema }: Contents): number {
  const { incoming, outgoing } = publishedKeys(table, schema, () => true);
  return incoming.length + outgoing.length;
}

/** The best connected first, then the longest, then by name from the end. */
const mostTelling = (tables: readonly SortableTable[]): SortableTable[] =>
  tables.toSorted(
    (left, right) =>
      right.num_relationships_for_sorting - left.num_relationships_for_sorting ||
      (right.count ?? 0) - (left.count ?? 0) ||
      compareNames(right.name, left.name),
  );

const sumOfCounts = (tables: readonly ListedTable[]): number =>
  tables.reduce((sum, { count }) => sum + (count ?? 0), 0);
