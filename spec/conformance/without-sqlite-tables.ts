import type { ExpectedResponse } from "./cases.js";
import type { Json, JsonObject } from "./lossless-json.js";

/** Tables that SQLite makes for itself, those of its full-text indexes, and the view that reads one of them. */
const OWN = /^(?:sqlite_sequence|log search view|(?:logbook|species)_fts(?:_\w+)?)$/;

/**
 * An expected response without the tables that only SQLite has. Lists of a database leave them out, and numbers of
 * tables and rows are less by theirs: one row in sqlite_sequence, all rows of hidden tables.
 */
export function withoutSqliteTables(expected: ExpectedResponse): ExpectedResponse {
  const { json } = expected;
  return json === undefined || !isObject(json) ? expected : { ...expected, json: documentOf(json) };
}

function documentOf(document: JsonObject): JsonObject {
  if (isListOfTables(document)) return databaseDocument(document);
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      isObject(value) && "tables_count" in value && name === "fixtures" ? instanceEntry(value) : value,
    ]),
  );
}

const isListOfTables = (document: JsonObject): boolean =>
  Array.isArray(document["tables"]) && "hidden_count" in document;

function databaseDocument(document: JsonObject): JsonObject {
  const { tables, views, table_columns: columns } = document;
  const kept = withoutOwn(tables);
  return {
    ...document,
    tables: kept,
    hidden_count: kept.filter((table) => isObject(table) && table["hidden"] === true).length,
    ...(views !== undefined && { views: withoutOwn(views) }),
    ...(columns !== undefined && isObject(columns) && { table_columns: columnsOf(columns) }),
  };
}

const withoutOwn = (list: Json | undefined): readonly Json[] =>
  Array.isArray(list) ? (list as readonly Json[]).filter((item) => !OWN.test(nameOf(item))) : [];

const nameOf = (item: Json): string => (isObject(item) ? String(item["name"]) : String(item));

const columnsOf = (columns: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !OWN.test(name)));

const instanceEntry = (entry: JsonObject): JsonObject => ({
  ...entry,
  tables_count: Number(entry["tables_count"]) - 1,
  table_rows_sum: Number(entry["table_rows_sum"]) - 1,
  hidden_tables_count: 0,
  hidden_table_rows_sum: 0,
  views_count: Number(entry["views_count"]) - 1,
});

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
