import type { Actor, Database, MetadataBlock, Request, Rowhouse, Table } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";

/** The request that searches, and the searched table. */
export interface SearchRequest {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
  /** The rows that the actor may read. */
  readonly source: ReadableTable;
}

/** How a table or view is searched. */
export interface SearchSetup {
  /** The full-text table. */
  readonly index: Table;
  /** The column of the page's table that holds the full-text table's rowid. */
  readonly key: string;
  /** Search texts are passed to SQLite as full-text expressions and may cause syntax errors. */
  readonly raw: boolean;
}

/**
 * The full-text table for a page: `_fts_table`, else the metadata's, else the one found in the schema. Null if there
 * is none, or if the actor may not view it or its content table.
 */
export async function fullTextOf(rowhouse: Rowhouse, searched: SearchRequest): Promise<SearchSetup | null> {
  const { request, database, table } = searched;
  const { query } = request;
  const metadata = metadataOf(rowhouse, searched);
  const name = namedIndex(rowhouse, searched) ?? table.fullText?.table;
  const index = name === undefined ? undefined : (await database.schema()).tables.get(name);
  const key = query.get("_fts_pk") || text(metadata["fts_pk"]) || "rowid";
  if (index === undefined || !(await mayView(rowhouse, searched, { index, key }))) return null;
  const mode = query.get("_searchmode");
  return {
    index,
    key,
    raw: mode === "raw" || (metadata["searchmode"] === "raw" && mode !== "escaped"),
  };
}

/** The full-text table named by the request or the metadata. */
export const namedIndex = (rowhouse: Rowhouse, searched: SearchRequest): string | null =>
  searched.request.query.get("_fts_table") || text(metadataOf(rowhouse, searched)["fts_table"]);

const metadataOf = (rowhouse: Rowhouse, { database, table }: SearchRequest): MetadataBlock =>
  rowhouse.serviceIfAny("metadata")?.current().table(database.name, table.name) ?? {};

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** True if `key` joins each row of `table` with its own entry in the index. */
function isOwnRowKey(table: Table, index: Table, key: string): boolean {
  const indexed = CONTENT_KEY.exec(index.sql ?? "")?.[1]?.trim() ?? "rowid";
  return key === indexed || (isRowid(table, key) && isRowid(table, indexed));
}

const CONTENT_KEY = /\bcontent_rowid\s*=\s*['"`[]?([^'"`\],)]+)/i;

/** True for any name of the rowid, including an integer primary key. */
function isRowid({ columns, primaryKeys, hasRowid }: Table, name: string): boolean {
  const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (column === undefined) return /^(?:_?rowid_?|oid)$/i.test(name);
  const isOnlyKey = primaryKeys.length === 1 && primaryKeys[0] === column.name;
  return hasRowid && isOnlyKey && column.type.toLowerCase() === "integer";
}

/** An index reveals the content of every column it covers, so the actor must be able to read all of them. */
async function mayView(
  rowhouse: Rowhouse,
  { actor, database, table, source }: SearchRequest,
  { index, key }: Pick<SearchSetup, "index" | "key">,
): Promise<boolean> {
  const content = index.fullText?.contentTable ?? index.name;
  const names = [index.name, content];
  const rowAccess = rowhouse.service("rowAccess");
  const allowed = await rowAccess.viewable(actor, database, names);
  if (!names.every((name) => allowed.has(name))) return false;
  const isOwn = content === table.name;
  const [searchedTable] = isOwn ? [source] : await rowAccess.readableMany(actor, database, [index]);
  // Searching reveals whether a row contains a word. The index of another table is therefore allowed only if that
  // table is unrestricted. The same holds for a table's own index with a key that may join visible with hidden rows.
  if (searchedTable?.restricted !== false && !(isOwn && isOwnRowKey(table, index, key))) return false;
  if (!isOwn) return true;
  const visible = new Set(table.columns.map(({ name }) => name));
  return index.columns.every(({ name, hidden }) => hidden || visible.has(name));
}
