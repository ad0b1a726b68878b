import { databaseColor, isOutOfService, pageMetadata } from "rowhouse/plugin-api";
import type {
  Actor,
  Chain,
  Database,
  IndexContext,
  IndexEntry,
  ListedTable,
  Page,
  Rowhouse,
  Visit,
} from "rowhouse/plugin-api";
import { compareNames, listedTable, privateNames, visibleContents, visibleDatabases } from "./contents.js";
import type { DatabaseContents, VisibleTable, VisibleDatabase } from "./contents.js";
import { tableCounter, publishedKeys } from "./table-listing.js";

const SHOWN_PER_DATABASE = 5;
const COUNT_LIMIT_MS = 10;
const MAX_COUNTED_BYTES = 100 * 1024 * 1024;

/** All databases that the visitor may view, each with its most telling tables. */
export async function indexView(visit: Visit<"instance">): Promise<Page> {
  const { rowhouse, request, actor } = visit;
  const byRelationships = request.query.get("_sort") === "relationships";
  const visible = await visibleDatabases(rowhouse, actor);
  const databases = await Promise.all(
    visible.map((one) => describeOrReportError(rowhouse, { ...one, actor, byRelationships })),
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
    // It may be in service again before anything in it has changed.
    ...(databases.some(({ error }) => error !== undefined) && { headers: { "cache-control": "no-store" } }),
  };
}

interface IndexRequest extends VisibleDatabase {
  readonly actor: Actor | null;
  readonly byRelationships: boolean;
}

/** One file that is missing, locked or damaged is no reason to show nothing of the others. */
async function describeOrReportError(rowhouse: Rowhouse, asked: IndexRequest): Promise<IndexEntry> {
  try {
    return await describe(rowhouse, asked);
  } catch (error) {
    if (!isOutOfService(error)) throw error;
    rowhouse.log.error(`Database ${asked.database.name}`, error);
    return outOfService(rowhouse, asked, error.message);
  }
}

const outOfService = (
  rowhouse: Rowhouse,
  { database, ...asked }: IndexRequest,
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
  private: asked.private,
  error,
});

async function describe(rowhouse: Rowhouse, asked: IndexRequest): Promise<IndexEntry> {
  const { database, actor } = asked;
  // As published: the index asks for the permission of the table alone, not of what it is in.
  const chainOf = (table: string): Chain => [["view-table", [database.name, table]]];
  const all = { actor, database, chainOf };
  const [contents, { hash, sizeBytes }] = await Promise.all([
    visibleContents(rowhouse, all),
    database.describe(),
  ]);
  const isCounted = !database.mutable || sizeBytes < MAX_COUNTED_BYTES;
  const counts = isCounted ? await countAll(rowhouse, database, contents.tables) : NO_COUNTS;
  const listed = contents.tables.filter((table) => !table.hidden);
  const hidden = contents.tables.filter((table) => table.hidden);
  const sortsByRelationships = asked.byRelationships || counts.size === 0;
  const topped = topTables(listed, counts, (one) =>
    sortsByRelationships ? countRelationships(one, contents) : 0,
  );
  const views = contents.views.map((name) => ({ name }));
  const shown = [...topped, ...views].slice(0, SHOWN_PER_DATABASE);
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
    private: asked.private,
  };
}

type Counts = ReadonlyMap<string, number>;
const NO_COUNTS: Counts = new Map();

/** One table that takes too long is enough to give up on all: a sum of some would mislead. */
async function countAll(
  rowhouse: Rowhouse,
  database: Database,
  tables: readonly VisibleTable[],
): Promise<Counts> {
  const readables = tables.map(({ readable }) => readable);
  const known = await rowhouse.service("tables").knownCounts(database, readables, performance.now());
  if (known.size === tables.length) return known;
  const countTable = tableCounter(rowhouse, database, COUNT_LIMIT_MS);
  const counts = new Map(known);
  for (const { table, readable } of tables) {
    if (counts.has(table.name)) continue;
    const count = await countTable(readable);
    if (count === null) return NO_COUNTS;
    counts.set(table.name, count);
  }
  return counts;
}

interface SortableTable extends Omit<ListedTable, "private"> {
  readonly num_relationships_for_sorting: number;
}

/** The best connected first, then the longest, then by name from the end. Only those that are shown are described. */
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
