import type { ColumnFacts, Page, RowSet, Rowhouse, TableContext, Visit } from "rowhouse/plugin-api";
import { withQuery } from "rowhouse/plugin-api";
import { createHash } from "node:crypto";
import { tableStyles } from "./cell-styles.js";
import { givenCells } from "./given-cells.js";
import { changed } from "./links.js";
import { rowKeys, rowPaths } from "./row-paths.js";
import type { Heading, LinkColumn, RowTable } from "./row-table.js";

const NO_ROWS: RowSet = { columns: [], json: null, cells: [], keys: [] };

/** The rows of a table page with sortable headings and a way to each row. */
export async function tableRows(rowhouse: Rowhouse, page: Page, visit: Visit): Promise<RowTable> {
  const facts = page.context as unknown as TableContext;
  const rows = page.rows ?? NO_ROWS;
  const paths = rowPaths(rows);
  const database = facts.database.name;
  const table = facts.table.name;
  const columns = factsInOrder(facts.columns, rows.columns);
  const sorting = sortingOf(facts);
  return {
    rows,
    headings: columns.map((column) => heading(rowhouse, visit, column, sorting)),
    styles: await tableStyles({
      rowhouse,
      database: facts.database,
      columns,
      truncate: rowhouse.setting("truncate_cells_html"),
      blobHref: (column, bytes, rowIndex) =>
        blobHref(rowhouse, facts, paths[rowIndex] ?? null, column, bytes),
    }),
    link: facts.keys.length === 0 ? null : linkColumn(rowhouse, facts, rows, paths),
    given: await givenCells(rowhouse, visit, rows, { database, table, primaryKeys: facts.keys }),
  };
}

/** What is known about the columns of the rows, in their order; a column may stand there twice. */
export function factsInOrder(known: readonly ColumnFacts[], columns: readonly string[]): ColumnFacts[] {
  const byName = new Map(known.map((column) => [column.name, column]));
  return columns.map((name) => byName.get(name) ?? { ...UNKNOWN_COLUMN, name });
}

const UNKNOWN_COLUMN: ColumnFacts = {
  name: "",
  type: "",
  notNull: false,
  isPrimaryKey: false,
  sortable: false,
  description: null,
  unit: null,
  foreignKey: null,
};

interface Sorting {
  readonly column: string | null;
  readonly descending: boolean;
}

/** With no order given, a single key is what the rows are sorted by. */
function sortingOf({ sort, sortDesc, keys }: TableContext): Sorting {
  if (sortDesc !== null) return { column: sortDesc, descending: true };
  return { column: sort ?? (keys.length === 1 ? keys[0]! : null), descending: false };
}

function heading(rowhouse: Rowhouse, visit: Visit, column: ColumnFacts, sorting: Sorting): Heading {
  const isSorted = sorting.column === column.name;
  const argument = isSorted && !sorting.descending ? "_sort_desc" : "_sort";
  const href = changed(rowhouse, visit.request, ["_sort", "_sort_desc", "_next"], [[argument, column.name]]);
  return {
    name: column.name,
    type: column.type,
    notNull: column.notNull,
    isKey: column.isPrimaryKey,
    description: column.description,
    sortHref: column.sortable ? href : null,
    sorted: isSorted ? (sorting.descending ? "descending" : "ascending") : null,
  };
}

/** A single primary key links from its own column; compound keys and rowids get a column before the others. */
function linkColumn(
  rowhouse: Rowhouse,
  facts: TableContext,
  rows: RowSet,
  paths: readonly (string | null)[],
): LinkColumn {
  const [key] = facts.keys;
  const single = facts.table.primaryKeys.length === 1 && key !== undefined;
  const place = single ? rows.columns.indexOf(key) : -1;
  const keys = rowKeys(rows);
  return {
    name: single && place !== -1 ? key : "Link",
    replaces: place === -1 ? null : place,
    hrefs: paths.map((path) =>
      path === null ? null : rowhouse.urls.row(facts.database.name, facts.table.name, path),
    ),
    labels: paths.map((path, index) => keys[index]?.join(",") ?? path ?? ""),
  };
}

function blobHref(
  rowhouse: Rowhouse,
  facts: TableContext,
  path: string | null,
  column: string,
  bytes: Uint8Array,
): string {
  const { name } = facts.database;
  if (path !== null) {
    return withQuery(rowhouse.urls.row(name, facts.table.name, path, "blob"), [["_blob_column", column]]);
  }
  const hash = createHash("sha256").update(bytes).digest("hex");
  const page = rowhouse.urls.table(name, facts.table.name, "blob");
  return withQuery(page, [
    ["_blob_column", column],
    ["_blob_hash", hash],
  ]);
}
