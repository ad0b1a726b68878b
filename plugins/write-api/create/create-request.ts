import { WriteRejected } from "rowhouse/plugin-api";
import type { DefaultValues } from "rowhouse/plugin-api/engine";
import { isPrivateTable } from "rowhouse/plugin-api/names";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import { parseCheck } from "../alter/edit-checks.js";
import type { NewCheck } from "../alter/table-change.js";
import { Arguments, choicesSql } from "../json/arguments.js";
import { isList, isObject, requireFewColumns, truthy } from "../json/cell-values.js";
import { parseColumnType, type ColumnOptions, type NewColumn } from "../rows/new-columns.js";

/** The body of a request to create a table. */
export interface CreateRequest {
  readonly table: string;
  /** Null if the columns are inferred from the rows. */
  readonly columns: readonly NewColumn[] | null;
  readonly rows: readonly JsonObject[];
  /** As sent; empty if missing. */
  readonly pk: string;
  readonly pks: readonly string[];
  /** Only with columns. */
  readonly checks: readonly NewCheck[];
  readonly ignore: boolean;
  readonly replace: boolean;
  /** Adds columns that an existing table lacks. */
  readonly alter: boolean;
}

/** Permission checks, each made when parsing reaches the member that needs it. */
export interface CreatePermissions {
  updateRow(): Promise<void>;
  insertRow(): Promise<void>;
  alterTable(): Promise<void>;
}

const KEYS = new Set([
  "table",
  "columns",
  "row",
  "rows",
  "pk",
  "pks",
  "ignore",
  "replace",
  "alter",
  "checks",
]);

/** Parses a body. @throws WriteRejected for the first error */
export async function parseCreateRequest(
  document: JsonObject,
  permissions: CreatePermissions,
  defaults: DefaultValues,
): Promise<CreateRequest> {
  checkOptions(document);
  if (truthy(document.get("replace"))) await permissions.updateRow();
  if (truthy(document.get("alter"))) await permissions.alterTable();
  const table = tableName(document.get("table"));
  const hasRows = checkSource(document);
  if (hasRows) await permissions.insertRow();
  if (hasRows && truthy(document.get("columns"))) throw rejected("Cannot specify columns with rows or row");
  const columns = hasRows ? null : newColumns(document.get("columns"), defaults);
  const rows = hasRows ? rowsOf(document) : [];
  if (columns === null && rows.every(({ size }) => size === 0)) throw rejected(NOTHING);
  return {
    table,
    columns,
    rows,
    ...primaryKey(document),
    checks: checksOf(document, hasRows),
    ignore: truthy(document.get("ignore")),
    replace: truthy(document.get("replace")),
    alter: truthy(document.get("alter")),
  };
}

const NOTHING = "columns, rows or row is required";

const rejected = (message: string): WriteRejected => new WriteRejected([message]);

const isGiven = (document: JsonObject, ...keys: readonly string[]): boolean =>
  keys.some((key) => truthy(document.get(key)));

function checkOptions(document: JsonObject): void {
  const unknown = [...document.keys()].filter((key) => !KEYS.has(key)).toSorted();
  if (unknown.length > 0) throw rejected(`Invalid keys: ${unknown.join(", ")}`);
  if (isGiven(document, "ignore") && isGiven(document, "replace")) {
    throw rejected("ignore and replace are mutually exclusive");
  }
  if (!document.has("ignore") && !document.has("replace")) return;
  if (!isGiven(document, "row", "rows")) throw rejected("ignore and replace require row or rows");
  if (!isGiven(document, "pk", "pks")) throw rejected("ignore and replace require pk or pks");
}

function tableName(name: JsonValue | undefined): string {
  if (!truthy(name)) throw rejected("Table is required");
  if (typeof name !== "string" || name.startsWith("sqlite_") || name.includes("\n") || isPrivateTable(name)) {
    throw rejected("Invalid table name");
  }
  return name;
}

/** @returns whether the columns are inferred from rows */
function checkSource(document: JsonObject): boolean {
  if (!isGiven(document, "columns", "rows", "row")) throw rejected(NOTHING);
  if (isGiven(document, "rows") && isGiven(document, "row"))
    throw rejected("Cannot specify both rows and row");
  return isGiven(document, "rows", "row");
}

function newColumns(columns: JsonValue | undefined, defaults: DefaultValues): readonly NewColumn[] {
  if (!isList(columns)) throw rejected("columns must be a list");
  requireFewColumns(columns.length);
  const known = columns.map((column) => newColumn(column, defaults));
  refuseRepeated(known.map(({ name }) => name));
  return known;
}

function refuseRepeated(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw rejected(`Duplicate column name: ${repeated}`);
}

function newColumn(column: JsonValue, defaults: DefaultValues): NewColumn {
  if (!isObject(column)) throw rejected("columns must be a list of objects");
  const name = column.get("name");
  if (typeof name !== "string" || name === "") throw rejected("Column name is required");
  const type = column.get("type");
  return {
    name,
    type: truthy(type) ? parseColumnType(type ?? null) : "text",
    ...columnOptions(column, defaults),
  };
}

function rowsOf(document: JsonObject): readonly JsonObject[] {
  const row = document.get("row");
  const rows = truthy(row) ? [row ?? null] : document.get("rows");
  if (!isList(rows)) throw rejected("rows must be a list");
  if (!rows.every(isObject)) throw rejected("rows must be a list of objects");
  for (const { size } of rows) requireFewColumns(size);
  return rows;
}

function checksOf(document: JsonObject, hasRows: boolean): readonly NewCheck[] {
  const checks = document.get("checks") ?? [];
  if (!isList(checks) || !checks.every(isObject)) throw rejected("checks must be a list of objects");
  if (checks.length > 0 && hasRows) throw rejected("Cannot specify checks with rows or row");
  return checks.map((check) => parseCheck(new Arguments(check)));
}

function primaryKey(document: JsonObject): Pick<CreateRequest, "pk" | "pks"> {
  const pk = document.get("pk");
  const pks = document.get("pks");
  if (truthy(pk) && truthy(pks)) throw rejected("Cannot specify both pk and pks");
  if (truthy(pk) && typeof pk !== "string") throw rejected("pk must be a string");
  if (!truthy(pks)) return { pk: typeof pk === "string" ? pk : "", pks: [] };
  if (!isList(pks)) throw rejected("pks must be a list");
  requireFewColumns(pks.length);
  if (!pks.every((name): name is string => typeof name === "string")) {
    throw rejected("pks must be a list of strings");
  }
  refuseRepeated(pks);
  return { pk: "", pks };
}

/** Reads `not_null`, `default`, `default_expr`, `choices`, `fk_table` and `fk_column`; other members are ignored. @throws WriteRejected */
function columnOptions(column: JsonObject, defaults: DefaultValues): ColumnOptions {
  const args = new Arguments(column);
  const defaultSql = args.defaultSql(defaults) ?? null;
  const constraints = [
    ...(args.flag("not_null") === true ? ["NOT NULL"] : []),
    ...(defaultSql === null ? [] : [`DEFAULT ${defaultSql}`]),
  ];
  const choices = choicesSql(args, defaults) ?? [];
  const options = { constraints, ...(choices.length > 0 && { choices }) };
  if (args.has("fk_table")) {
    const references = { table: args.name("fk_table"), otherColumn: args.optionalName("fk_column") };
    return { ...options, references };
  }
  if (args.has("fk_column")) throw new WriteRejected(['"fk_column" needs "fk_table"']);
  return options;
}
