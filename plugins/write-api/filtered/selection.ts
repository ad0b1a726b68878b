import {
  RowhouseError,
  WriteRejected,
  type SqlValue,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";
import { encodeRows, keyColumns, type Dialect, type Real } from "rowhouse/plugin-api/engine";
import type { FilteredRows } from "rowhouse/plugin-api/contracts";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import { requireKnownMembers } from "../json/body.js";
import { isList, isObject, storedJson, truthy, withExactTexts } from "../json/cell-values.js";
import { addressColumns, columnTuple, comparedColumns, keyValues } from "../target/row-target.js";
import { requireView, type WriteContext } from "../target/write-access.js";

export type Filter = readonly [name: string, value: string];

/** The rows that a request selects. */
interface Selection {
  /** A row must match all of them. Empty if the request has `keys`, or `"all": true`. */
  readonly filters: readonly Filter[];
  /** The keys of the rows; null for rows that filters select. */
  readonly keys: readonly JsonValue[] | null;
}

/** The selection of a request, and whether it is a dry run. */
export interface FilterRequest extends Selection {
  readonly dryRun: boolean;
}

/**
 * Parses the column filters of a body and of the query string, or the keys of a body.
 *
 * @param known members that the body may have besides those about filters
 * @throws WriteRejected
 */
export function parseFilterRequest(
  document: JsonObject,
  query: Iterable<Filter>,
  known: readonly string[],
): FilterRequest {
  requireKnownMembers(document, [...known, "filters", "keys", "all", "dry_run"]);
  const all = document.get("all") ?? false;
  if (typeof all !== "boolean") throw new WriteRejected(['"all" must be true or false']);
  const filters = [...filtersOf(document.get("filters")), ...query];
  const dryRun = truthy(document.get("dry_run"));
  const keys = keysOf(document.get("keys"));
  if (keys !== null) {
    if (filters.length > 0 || all) throw new WriteRejected(['Cannot use "keys" with filters or "all"']);
    return { filters, keys, dryRun };
  }
  if (filters.length === 0 && !all) throw new WriteRejected(['Need "filters", or "all": true for every row']);
  if (filters.length > 0 && all) throw new WriteRejected(['Cannot use filters and "all" at the same time']);
  return { filters, keys, dryRun };
}

function keysOf(keys: JsonValue | undefined): readonly JsonValue[] | null {
  if (keys === undefined) return null;
  if (!isList(keys)) throw new WriteRejected(['"keys" must be a list']);
  if (keys.length <= MOST_VALUES) return keys;
  throw new WriteRejected([`Too many keys, maximum allowed is ${MOST_VALUES}`]);
}

function filtersOf(filters: JsonValue | undefined): readonly Filter[] {
  if (filters === undefined) return [];
  if (!isObject(filters)) throw new WriteRejected(['"filters" must be a dictionary']);
  if (filters.size > MOST_FILTERS)
    throw new WriteRejected([`At most ${MOST_FILTERS} filters are allowed, not ${filters.size}`]);
  return [...filters].map(([name, value]) => filterOf(name, value));
}

/** Reading and writing more would block the event loop. */
const MOST_VALUES = 10_000;
const MOST_FILTERS = 1_000;

/** A filter in the form of a table page's URL. Null matches NULL, a list matches any of its values. */
function filterOf(name: string, value: JsonValue): Filter {
  const bare = name.replace(/__(?:exact|not|in|notin)$/, "");
  const isNegative = /__not(?:in)?$/.test(name);
  if (value === null) return [`${bare}__${isNegative ? "notnull" : "isnull"}`, "1"];
  if (isObject(value)) throw new WriteRejected([`Filter "${name}" must be a text, number, list or null`]);
  const isListText = typeof value === "string" && /__(?:not)?in$/.test(name);
  const values = isList(value) ? value : isListText ? value.split(",", MOST_VALUES + 1) : [];
  if (values.length > MOST_VALUES)
    throw new WriteRejected([`Filter "${name}" has too many values, maximum allowed is ${MOST_VALUES}`]);
  return isList(value)
    ? [`${bare}__${isNegative ? "notin" : "in"}`, storedJson(value)]
    : [name, filterText(value)];
}

const filterText = (value: string | number | bigint | boolean | Real): string =>
  typeof value === "boolean" ? String(Number(value)) : String(value);

/**
 * The selected rows. Filtering by values reveals them, so it needs the permission to view the table.
 *
 * @throws WriteRejected, 403 without view-table
 */
export async function selectRows(
  context: WriteContext,
  target: TableTarget,
  { filters, keys }: Selection,
): Promise<FilteredRows> {
  const { database, table, source } = target;
  await requireView(context, { database, table }, "select rows");
  if (addressColumns(table).length === 0)
    throw new WriteRejected([`Rows of ${table.name} can't be selected by filters: it has no key`]);
  if (keys !== null) return rowsWithKeys(target, keys);
  try {
    return context.rowhouse.service("tables").filtered(database, source, filters);
  } catch (error) {
    // Messages of errors with status 500 and above are not meant for clients.
    if (error instanceof RowhouseError && error.status < 500)
      throw new WriteRejected([error.message], error.status);
    throw error;
  }
}

/** Rows by their keys, which are compared by value and type: the text `"1"` is not the number 1. */
function rowsWithKeys({ database, source }: TableTarget, keys: readonly JsonValue[]): FilteredRows {
  const { dialect } = database;
  const { table } = source;
  const columns = keyColumns(table);
  const rows = keys.map((key) => keyValues(table, key));
  const run = withExactTexts({ columns, rows }, { dialect, table });
  const { json, kinds } = encodeRows(run, dialect.definitions.numbers);
  const packed = dialect.packedRows({ table, columns, kinds, parameter: ":sent_keys" });
  const where = ` where ${columnTuple(dialect, table, columns)} in (${packed})`;
  return { table, source: source.flattenable, where, params: { ...source.params, sent_keys: json } };
}

/** The number of rows that a dry run returns. */
const SHOWN_ROWS = 10;

/** A SQL condition that is true for the selected rows of `table`. Its parameters are `selected.params`. */
export function selectionCondition(dialect: Dialect, table: Table, selected: FilteredRows): string {
  const address = addressColumns(table);
  const columns = comparedColumns(dialect, table, address);
  return `${columnTuple(dialect, table, address)} in (select ${columns} from ${selected.source}${selected.where})`;
}

/** The addresses of the first selected rows, in order. */
export async function firstAddresses(
  dialect: Dialect,
  transaction: Transaction,
  table: Table,
  { source, where, params }: FilteredRows,
): Promise<readonly (readonly SqlValue[])[]> {
  const columns = addressColumns(table).map(dialect.quoteIdentifier).join(", ");
  const sql = `select ${columns} from ${source}${where} order by ${columns}${dialect.limit(SHOWN_ROWS)}`;
  return (await transaction.all(sql, params)).rows;
}
