import { isOutOfService } from "rowhouse/plugin-api/errors";
import { databaseColor } from "rowhouse/plugin-api/html";
import { currentMetadata, pageMetadata } from "rowhouse/plugin-api/metadata";
import type { Actor, Chain, Page, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { IndexContext, IndexEntry, ListedTable } from "rowhouse/plugin-api/contracts";
import {
  compareNames,
  listedTable,
  privateNames,
  visibleContents,
  visibleDatabases,
  type DatabaseContents,
  type VisibleTable,
  type VisibleDatabase,
} from "./contents.js";
import { countOrEstimate, tableCounter, publishedKeys, type CountedDatabase } from "./table-listing.js";

const SHOWN_PER_DATABASE = 5;
const COUNT_LIMIT_MS = 10;
const MAX_COUNTED_BYTES = 100 * 1024 * 1024;

/** All databases that the actor may view, each with its most important tables. */
export async function indexView(visit: Visit<"instance">): Promise<Page> {
  const { rowhouse, request, actor } = visit;
  const byRelationships = request.query.get("_sort") === "relationships";
  const visible = await visibleDatabases(rowhouse, actor);
  const databases = await Promise.all(
    visible.map((one) =>
      describeOrReportError(rowhouse, { actor, byRelationships, sinceMs: request.receivedMs, ...one }),
    ),
  );
  const context: IndexContext = {
    metadata: pageMetadata(currentMetadata(rowhouse).document),
    private: visit.private,
    databases,
  };
  return {
    name: "index",
    data: Object.fromEntries(databases.map((entry) => [entry.name, entry])),
    context: { ...context },
    plain: true,
    // The database may recover without a change of its data, so the page must not be cached.
    ...(databases.some(({ error }) => error !== undefined) && { headers: { "cache-control": "no-store" } }),
  };
}

interface IndexRequest extends VisibleDatabase {
  readonly actor: Actor | null;
  readonly byRelationships: boolean;
  readonly sinceMs: number;
}

/** A missing, locked or damaged file is listed with its error; the other databases are not affected. */
async function describeOrReportError(rowhouse: Rowhouse, options: IndexRequest): Promise<IndexEntry> {
  try {
    return await describe(rowhouse, options);
  } catch (error) {
    if (!isOutOfService(error)) throw error;
    rowhouse.log.error(`Database ${options.database.name}`, error);
    return outOfService(rowhouse, options, error.message);
  }
}

const outOfService = (
  rowhouse: Rowhouse,
  { database, ...options }: IndexRequest,
  error: string,
): IndexEntry => ({
  name: database.name,
  hash: null,
  color: databaseColor(database.name, null),
  path: rowhouse.urls.database(database.name),
  tables_and_views_truncated: [],
  tables_and_views_more: false,
  tables_count: 0,
  table_rows_sum: 0,
  show_table_row_counts: false,
  hidden_table_rows_sum: 0,
  hidden_tables_count: 0,
  views_count: 0,
  private: options.private,
  error,
});

async function describe(rowhouse: Rowhouse, options: IndexRequest): Promise<IndexEntry> {
  const { database, actor, sinceMs } = options;
  // The contract: the index checks `view-table` alone, without the database and the instance.
  const chainOf = (table: string): Chain => [["view-table", [database.name, table]]];
  const all = { actor, database, chainOf, sinceMs };
  const [contents, { hash, sizeBytes }] = await Promise.all([
    visibleContents(rowhouse, all),
    database.describe(),
  ]);
  const isCounted = !database.mutable || sizeBytes < MAX_COUNTED_BYTES;
  const counts = isCounted ? await countAll(rowhouse, all, contents.tables) : NO_COUNTS;
  const listed = contents.tables.filter((table) => !table.hidden);
  const hidden = contents.tables.filter((table) => table.hidden);
  const sortsByRelationships = options.byRelationships || counts.size === 0;
  const topRanked = topTables(listed, counts, (one) =>
    sortsByRelationships ? countRelationships(one, contents) : 0,
  );
  const views = contents.views.map((name) => ({ name }));
  const shown = [...topRanked, ...views].slice(0, SHOWN_PER_DATABASE);
  const hiddenFromAnonymous = await privateNames(
    rowhouse,
    all,
    shown.map(({ name }) => name),
  );
  return {
    name: database.name,
    hash,
    color: databaseColor(database.name, hash),
    path: rowhouse.urls.database(database.name),
    tables_and_views_truncated: shown.map((one) => ({ ...one, private: hiddenFromAnonymous.has(one.name) })),
    tables_and_views_more: listed.length + views.length > SHOWN_PER_DATABASE,
    tables_count: listed.length,
    table_rows_sum: sumOfCounts(listed, counts),
    show_table_row_counts: counts.size > 0,
    hidden_table_rows_sum: sumOfCounts(hidden, counts),
    hidden_tables_count: hidden.length,
    views_count: views.length,
    private: options.private,
  };
}

type Counts = ReadonlyMap<string, number>;
const NO_COUNTS: Counts = new Map();

/** Counts all tables, or none if one exceeds its time limit or can't be read: a partial sum would be misleading. */
async function countAll(
  rowhouse: Rowhouse,
  { database, sinceMs }: CountedDatabase,
  tables: readonly VisibleTable[],
): Promise<Counts> {
  const readables = tables.map(({ readable }) => readable);
  const known = await rowhouse.service("tables").counts(database, readables, sinceMs);
  if (known.size === tables.length) return known;
  const countTable = tableCounter(rowhouse, { database, sinceMs }, COUNT_LIMIT_MS);
  const counts = new Map(known);
  for (const { table, readable } of tables) {
    if (counts.has(table.name)) continue;
    const { count } = await countOrEstimate(countTable, database, readable);
    if (count === null) return NO_COUNTS;
    counts.set(table.name, count);
  }
  return counts;
}

interface SortableTable extends Omit<ListedTable, "private"> {
  readonly num_relationships_for_sorting: number;
}

/** The tables with most relationships first, then most rows, then last name. Describes only those that are shown. */
function topTables(
  tables: readonly VisibleTable[],
  counts: Counts,
  relationships: (visible: VisibleTable) => number,
): readonly SortableTable[] {
  const best: RankedTable[] = [];
  for (const visible of tables) {
    const one = { visible, related: relationships(visible), count: countOf(visible, counts) };
    let place = best.length;
    while (place > 0 && compareRanked(one, best[place - 1] ?? one) < 0) place -= 1;
    if (place < SHOWN_PER_DATABASE) best.splice(place, 0, one);
    if (best.length > SHOWN_PER_DATABASE) best.pop();
  }
  return best.map(({ visible, related, count }) => ({
    ...listedTable(visible, count),
    num_relationships_for_sorting: related,
  }));
}

interface RankedTable {
  readonly visible: VisibleTable;
  readonly related: number;
  readonly count: number | null;
}

const compareRanked = (left: RankedTable, right: RankedTable): number =>
  right.related - left.related ||
  (right.count ?? 0) - (left.count ?? 0) ||
  compareNames(right.visible.table.name, left.visible.table.name);

function countRelationships({ table }: VisibleTable, { schema }: DatabaseContents): number {
  const { incoming, outgoing } = publishedKeys(table, schema, () => true);
  return incoming.length + outgoing.length;
}

const countOf = ({ table }: VisibleTable, counts: Counts): number | null => counts.get(table.name) ?? null;

const sumOfCounts = (tables: readonly VisibleTable[], counts: Counts): number =>
  tables.reduce((sum, visible) => sum + (countOf(visible, counts) ?? 0), 0);
