import type { Page, RowSet, SqlValue, Visit } from "rowhouse/plugin-api";
import { valueNotation } from "rowhouse/plugin-api/access";
import { RowNotFound, SqlFailed } from "rowhouse/plugin-api/errors";
import { LazyPage, rowPath, timeLimitMs, type Cell } from "rowhouse/plugin-api/http";
import { currentMetadata, publishedAttribution, visibleMetadata } from "rowhouse/plugin-api/metadata";
import type { ExpandableColumn, ReadableTable, RowContext } from "rowhouse/plugin-api/contracts";
import { columnsToLabel, expandableColumns, labelRows } from "./labels.js";
import { linkingTables } from "./linking-tables.js";
import { blobPieces, rowStatement, shownColumns } from "./row-statement.js";
import { columnFacts, tableFacts, type TableFacts } from "./table-facts.js";
import { cellsWithUnread, unreadColumns } from "./unread-blobs.js";

type RowVisit = Visit<"row">;

/** @throws RowNotFound naming the key */
const rowNotFound = (key: readonly string[]): RowNotFound =>
  new RowNotFound(`Row not found: ${valueNotation(key)}`);

/**
 * One row of a table.
 *
 * @throws RowNotFound
 */
export async function rowView(visit: RowVisit): Promise<Page> {
  const started = performance.now();
  const { rowhouse, request, actor, target, wants } = visit;
  const readable = await rowhouse.service("rowAccess").describe(actor, target.database, target.source);
  const facts = tableFacts(readable.table);
  if (facts.keys.length !== target.key.length) throw rowNotFound(target.key);
  const metadata = currentMetadata(rowhouse);
  const configured = metadata.table(target.database.name, target.table.name);
  const schema = target.database.lastSchema ?? (await target.database.schema());
  const block = visibleMetadata(configured, schema, readable.table);
  const expandable = await expandableColumns(rowhouse, actor, target.database, readable.table);
  const labelled = wants.labels ? columnsToLabel(request.query, true, expandable) : [];
  const rows = await readRow(visit, facts, readable, labelled).catch((error: unknown) => {
    throw isNoValue(error) ? rowNotFound(target.key) : error;
  });
  const requestsLinks = (request.query.get("_extras") ?? "").split(",").includes("foreign_key_tables");
  const wantsLinks = requestsLinks || visit.format === "html" || wants.parts.has("foreign_key_tables");
  const links = wantsLinks ? await linkingTables(visit, facts, readable) : [];
  const document = {
    database: target.database.name,
    table: target.table.name,
    rows: [],
    columns: rows.columns,
    primary_keys: facts.keys,
    primary_key_values: target.key,
    units: block["units"] ?? {},
    ...(requestsLinks && { foreign_key_tables: links }),
    query_ms: performance.now() - started,
    ...publishedAttribution(metadata.document),
  };
  return new LazyPage({ name: "row", data: document, rows }, () => ({
    ...rowContext(visit, facts, { metadata: block, foreignKeyTables: links, expandable }),
  }));
}

/** A part of the key is no value of its column: the date `x`. */
const isNoValue = (error: unknown): boolean => error instanceof SqlFailed && error.kind === "value";

async function readRow(
  visit: RowVisit,
  facts: TableFacts,
  readable: ReadableTable,
  labelled: readonly ExpandableColumn[],
): Promise<RowSet> {
  const { wants, target, request } = visit;
  const place = { database: target.database, facts, readable, key: target.key };
  const shown = { facts, columns: shownColumns(facts), order: [] };
  const unread = wants.longBlobs === undefined ? [] : await unreadColumns(visit, shown);
  const { sql, params, columns } = rowStatement(place, unread);
  const limitMs = timeLimitMs(request.query, visit.rowhouse.setting("sql_time_limit_ms"));
  // Reading one row by its key is too fast to cancel, unless a plugin restricts the table.
  const limits = { timeLimitMs: limitMs, ...(readable.restricted && { signal: request.signal }) };
  // The path is made from the row's values. If a key column is not shown, from the key in the URL.
  const path = facts.keys.every((key) => columns.includes(key)) ? {} : { paths: [rowPath(target.key)] };
  const { keys } = facts;
  if (wants.rows === "arrays" || wants.rows === "objects") {
    const options = { columns, shape: wants.rows, infinity: wants.infinity, ...limits };
    const { rows: json } = await target.database.readJson(sql, params, options);
    if (json.length === 0) throw rowNotFound(target.key);
    return { columns, keys, json, cells: null, ...path };
  }
  const options = { columns: [...columns, ...unread], malformedText: wants.malformedText, ...limits };
  const { rows: read } = await target.database.read(sql, params, options);
  if (read.length === 0) throw rowNotFound(target.key);
  const rows = read.map((row) =>
    cellsWithUnread(row, { columns, unread }, (column, size) => blobPieces(place, { column, size })),
  );
  return { columns, keys, json: null, cells: await labelledRow(visit, columns, rows, labelled), ...path };
}

const labelledRow = async (
  { rowhouse, actor, target, request }: RowVisit,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  labelled: readonly ExpandableColumn[],
): Promise<readonly (readonly Cell[])[]> =>
  labelled.length === 0
    ? rows
    : labelRows({ rowhouse, actor, database: target.database, request }, columns, rows, labelled);

type RowContextParts = Pick<RowContext, "metadata" | "foreignKeyTables" | "expandable">;

function rowContext({ target }: RowVisit, facts: TableFacts, decided: RowContextParts): RowContext {
  return {
    ...decided,
    database: target.database,
    table: facts.table,
    columns: columnFacts(facts, shownColumns(facts), decided.metadata, decided.expandable),
    keys: facts.keys,
    keyValues: target.key,
    path: rowPath(target.key),
  };
}
