import { withQuery, type Page, type RowSet, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import type { ColumnFacts, TableContext } from "rowhouse/plugin-api/contracts";
import { rowKeys, rowPaths } from "rowhouse/plugin-api/engine";
import { QueryLinks, contextOf, queryPairs, without } from "rowhouse/plugin-api/http";
import { tableStyles } from "./cell-styles.js";
import { tOf } from "./language/texts.js";
import { pluginCells } from "./plugin-cells.js";
import { hashLinks, ownPath } from "./links.js";
import { type Heading, type LinkColumn, type RowColumn, type RowTable, bareHeading } from "./row-table.js";
import { limitedRows, tableLimits, valueLimit } from "./table-limits.js";

/** For pages whose view reads no rows. */
export const NO_ROWS: RowSet = { columns: [], json: null, cells: [], keys: [] };

/** The rows of a table page, with sortable headings and a link to each row. */
export async function tableRows(page: Page, visit: Visit): Promise<RowTable> {
  const { rowhouse } = visit;
  const facts = contextOf<"table">(page);
  const t = tOf(visit);
  const limits = tableLimits(rowhouse);
  const found = page.rows ?? NO_ROWS;
  const rows = limitedRows(found, limits);
  const paths = rowPaths(rows);
  const known = factsInOrder(facts.columns, rows.columns).slice(0, limits.columns);
  const truncateSetting = rowhouse.setting("truncate_cells_html");
  const truncate = truncateSetting || valueLimit(known.length, limits);
  const pageOf = rowPages(rowhouse, facts, paths);
  const styles = await tableStyles(visit, {
    facts,
    columns: known,
    rows,
    truncate,
    fold: truncateSetting > 0,
    wholeHref: pageOf,
    blobHref: blobHrefs(visit, facts, paths),
  });
  const order = orderOf(facts);
  const links = new QueryLinks(
    ownPath(rowhouse, visit.request),
    without(queryPairs(visit.request), "_sort", "_sort_desc", "_order", "_next"),
  );
  const headings = known.map((column) => heading(links, column, order));
  const columns = styles.map((style, place) => ({ style, heading: headings[place] ?? bareHeading("") }));
  return {
    rows,
    columns,
    link:
      facts.keys.length === 0 ? null : linkColumn(facts, { rows, paths, columns, pageOf }, t("table.link")),
    given: await pluginCells(visit, rows, {
      database: facts.database.name,
      table: facts.table.name,
      primaryKeys: facts.keys,
      truncate,
      columns: known.length,
    }),
    limits,
    found: { rows: found.cells?.length ?? 0, columns: found.columns.length },
    valuesCut: false,
    shortened:
      facts.sizeLimited && facts.nextUrl !== null ? t("table.fewer_rows", { count: facts.pageSize }) : null,
  };
}

type RowPages = (rowIndex: number) => string | null;

function rowPages(rowhouse: Rowhouse, facts: TableContext, paths: PagedRows["paths"]): RowPages {
  const table = rowhouse.urls.table(facts.database.name, facts.table.name);
  return (rowIndex) => {
    const path = paths[rowIndex] ?? null;
    return path === null ? null : `${table}/${path}`;
  };
}

/** The facts about the columns of the rows, in their order. A column may occur twice. */
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

type Order = TableContext["order"];

/** Without a requested order, rows are sorted by a single key. */
function orderOf({ order, keys }: TableContext): Order {
  const [key, ...more] = keys;
  const isByKey = order.length === 0 && key !== undefined && more.length === 0;
  return isByKey ? [{ column: key, descending: false }] : order;
}

function heading(links: QueryLinks, column: ColumnFacts, order: Order): Heading {
  const place = order.findIndex((one) => one.column === column.name);
  const sort = order[place];
  const argument = sort?.descending === false && place === 0 ? "_sort_desc" : "_sort";
  return {
    name: column.name,
    type: column.type,
    notNull: column.notNull,
    isKey: column.isPrimaryKey,
    description: column.description,
    sortHref: column.sortable ? links.with([argument, column.name]) : null,
    sorted: sort === undefined ? null : sort.descending ? "descending" : "ascending",
    sortPlace: order.length > 1 && sort !== undefined ? place + 1 : null,
  };
}

interface PagedRows {
  readonly rows: RowSet;
  readonly paths: readonly (string | null)[];
  readonly columns: readonly RowColumn[];
  readonly pageOf: RowPages;
}

/**
 * A single primary key links from its own column. Compound keys and rowids get a column before the others.
 */
function linkColumn(
  facts: TableContext,
  { rows, paths, columns, pageOf }: PagedRows,
  label: string,
): LinkColumn {
  const [key, ...more] = facts.table.primaryKeys;
  const place = key === undefined || more.length > 0 ? -1 : rows.columns.indexOf(key);
  const keys = rowKeys(rows);
  return {
    heading: columns[place]?.heading ?? bareHeading(label),
    replaces: place === -1 ? null : place,
    hrefs: paths.map((_, index) => pageOf(index)),
    labels: paths.map((path, index) => keys[index]?.join(",") ?? path ?? ""),
  };
}

/** Bytes of a row with a page have an address below this page. */
function blobHrefs({ rowhouse, request }: Visit, facts: TableContext, paths: readonly (string | null)[]) {
  const byHash = hashLinks(rowhouse, request);
  return (column: string, bytes: Uint8Array, rowIndex: number): string => {
    const path = paths[rowIndex] ?? null;
    if (path === null) return byHash(column, bytes);
    const address = rowhouse.urls.row(facts.database.name, facts.table.name, path, "blob");
    return withQuery(address, [["_blob_column", column]]);
  };
}
