import {
  permissionChain,
  type Database,
  type Page,
  type Rowhouse,
  type Table,
  type Visit,
} from "rowhouse/plugin-api";
import { foldName } from "rowhouse/plugin-api/names";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { currentMetadata, publishedAttribution } from "rowhouse/plugin-api/metadata";
import type { ListedTable } from "rowhouse/plugin-api/contracts";
import {
  compareNames,
  listedTable,
  privateNames,
  visibleContents,
  visibleQueries,
  type DatabaseContents,
} from "./contents.js";
import { countOrEstimate, tableCounter, publishedKeys, type PublishedKeys } from "./table-listing.js";
import { databaseContext } from "./database-context.js";

const COUNT_LIMIT_MS = 5;

/** The tables, views and queries of one database that the actor may view. */
export async function databaseView(visit: Visit<"database">): Promise<Page> {
  const started = performance.now();
  const { rowhouse, actor, target } = visit;
  const { database } = target;
  const slices = new TimeSlices(visit.request);
  const listed = {
    actor,
    database,
    chainOf: (table: string) => permissionChain({ database, table }),
    sinceMs: visit.request.receivedMs,
  };
  const contents = await visibleContents(rowhouse, listed);
  await slices.nextIfOver();
  const hiddenFromAnonymous = await privateNames(rowhouse, listed, [...contents.shown.keys()]);
  await slices.nextIfOver();
  const queries = await visibleQueries(rowhouse, listed);
  const allowExecuteSql = await rowhouse.permissions.allowed(actor, "execute-sql", database.name);
  const { sizeBytes, hash } = await database.describe();
  // Without `confine_sql`, actors with `execute-sql` can read every table, so no name is a secret.
  const nameEveryTable = allowExecuteSql && rowhouse.settings.get("confine_sql")?.value !== true;
  const tables = await describeTables(rowhouse, database, {
    contents,
    hiddenFromAnonymous,
    nameEveryTable,
    sinceMs: listed.sinceMs,
    slices,
  });
  const named = allowExecuteSql ? namedTables(contents, nameEveryTable) : [];
  const columns = await tableColumns(named, slices);
  const data = {
    database: database.name,
    private: visit.private,
    path: rowhouse.urls.database(database.name),
    size: sizeBytes,
    tables,
    hidden_count: tables.filter(({ hidden }) => hidden).length,
    views: contents.views.map((name) => ({ name, private: hiddenFromAnonymous.has(name) })),
    queries: queries.map(({ query: { name, ...configured }, ...rest }) => ({ ...configured, name, ...rest })),
    allow_execute_sql: allowExecuteSql,
    table_columns: columns,
    query_ms: performance.now() - started,
    ...publishedAttribution(currentMetadata(rowhouse).document),
  };
  const editorColumns = new Map([...columns, ...viewColumns(named)]);
  const context = await databaseContext(visit, { tables, queries, hash, sizeBytes, editorColumns });
  return { name: "database", data, context: { ...context } };
}

interface DescribedTable extends ListedTable {
  readonly foreign_keys: PublishedKeys;
}

interface Described {
  readonly sinceMs: number;
  readonly contents: DatabaseContents;
  readonly hiddenFromAnonymous: ReadonlySet<string>;
  /** Also publish keys to tables that the actor may not view. */
  readonly nameEveryTable: boolean;
  readonly slices: TimeSlices;
}

async function describeTables(
  rowhouse: Rowhouse,
  database: Database,
  { contents, hiddenFromAnonymous, nameEveryTable, sinceMs, slices }: Described,
): Promise<readonly DescribedTable[]> {
  const readables = contents.tables.map(({ readable }) => readable);
  const counts = await rowhouse.service("tables").counts(database, readables, sinceMs);
  const countTable = tableCounter(rowhouse, { database, sinceMs }, COUNT_LIMIT_MS);
  const viewable = new Map(contents.tables.map(({ table }) => [table.name, table]));
  const isKnown = (name: string, column: string): boolean => {
    const table = viewable.get(name);
    if (table === undefined) return nameEveryTable;
    return isVisible(column, table, contents.schema.tables.get(name) ?? table);
  };
  const described: DescribedTable[] = [];
  for (const visible of contents.tables) {
    const known = counts.get(visible.table.name);
    const { count, estimate } =
      known === undefined
        ? await countOrEstimate(countTable, database, visible.readable)
        : { count: known, estimate: null };
    const facts = listedTable(visible, count, estimate);
    const whole = contents.schema.tables.get(visible.table.name) ?? visible.table;
    const keysOf =
      nameEveryTable && whole.columns.length === visible.table.columns.length ? whole : visible.table;
    const foreignKeys = publishedKeys(keysOf, contents.schema, isKnown);
    described.push({ ...facts, foreign_keys: foreignKeys, private: hiddenFromAnonymous.has(facts.name) });
    if (slices.isOver) await slices.next();
  }
  return described.toSorted(
    (left, right) => Number(left.hidden) - Number(right.hidden) || compareNames(left.name, right.name),
  );
}

/** False for a column that is hidden. Foreign keys name columns as they were written. */
const isVisible = (column: string, table: Table, whole: Table): boolean =>
  table.columns.length === whole.columns.length ||
  table.columns.some(({ name }) => foldName(name) === foldName(column));

/** The tables and views of which SQL of the actor may know, without the columns that are hidden from the actor. */
const namedTables = ({ schema, shown }: DatabaseContents, nameEveryTable: boolean): readonly Table[] =>
  [...schema.tables.values()]
    .filter(({ name }) => nameEveryTable || shown.has(name))
    .map((table) => shown.get(table.name) ?? table);

type ColumnNames = ReadonlyMap<string, readonly string[]>;

/** Columns by table as the JSON document has them: without those of views. A map, because a table may have any name. */
async function tableColumns(named: readonly Table[], slices: TimeSlices): Promise<ColumnNames> {
  const byTable = new Map<string, readonly string[]>();
  const tables = named.filter(({ kind }) => kind !== "view");
  for (const { name, columns } of tables.toSorted((left, right) => compareNames(left.name, right.name))) {
    byTable.set(name, columns.map((column) => column.name).toSorted(compareNames));
    if (slices.isOver) await slices.next();
  }
  for (const { name, kind } of named) if (kind === "view") byTable.set(name, []);
  return byTable;
}

const viewColumns = (named: readonly Table[]): ColumnNames =>
  new Map(
    named
      .filter(({ kind }) => kind === "view")
      .map(({ name, columns }) => [name, columns.map((column) => column.name)]),
  );
