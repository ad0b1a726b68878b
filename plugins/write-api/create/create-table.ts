import { WriteRejected, type Request, type Table, type Transaction } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { keyColumns, type Dialect } from "rowhouse/plugin-api/engine";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { foldName } from "rowhouse/plugin-api/names";
import { checkSql } from "../alter/edit-checks.js";
import { referenceSql, type ReferableTables } from "../alter/edit-keys.js";
import { conflictOf, insertRows } from "../insert/insert-rows.js";
import { formsOf, plainForms, rowValuesInSlices, storableText, type RowValues } from "../json/cell-values.js";
import { addMissingColumns } from "../rows/add-columns.js";
import type { SchemaChange } from "../operation.js";
import { declaredType, inferColumns, type NewColumn } from "../rows/new-columns.js";
import { applyColumnTypes, writableColumns } from "../rows/rows-request.js";
import { requireUserTable } from "../target/write-access.js";
import type { CreateRequest } from "./create-request.js";

export interface Created {
  /** The CREATE TABLE statement. */
  readonly schema: string;
  /** False if the table already existed. */
  readonly isNew: boolean;
  /** The schema before and after, if columns were added. */
  readonly schemaChange: SchemaChange | null;
}

interface Creation {
  readonly dialect: Dialect;
  readonly body: CreateRequest;
  /** The column types of a table of this name. */
  readonly types: TypedColumns | null;
  readonly request: Pick<Request, "signal">;
}

/**
 * Creates the table if it does not exist, and inserts the rows.
 *
 * @throws WriteRejected, SqlFailed
 */
export async function createTable(
  transaction: Transaction,
  { dialect, body, types, request }: Creation,
): Promise<Created> {
  const { tables } = await transaction.schema();
  const existing = tables.get(body.table);
  if (existing !== undefined) checkSameKey(existing, body);
  if (existing === undefined || existing.kind === "view" || body.columns !== null) {
    const rows = body.rows.map((row) => renameMembers(row, withoutBrackets));
    const schema = tableSql(dialect, body, body.columns ?? inferColumns(rows), tables);
    await transaction.run(schema);
    const values = applyColumnTypes(types, await rowValuesInSlices(rows, request, plainForms));
    await insertInto(dialect, transaction, body, values);
    return { schema, isNew: true, schemaChange: null };
  }
  requireUserTable(existing);
  const names = new Set(existing.columns.map(({ name }) => name));
  const rows = body.rows.map((row) =>
    renameMembers(row, (name) => (names.has(name) ? name : withoutBrackets(name))),
  );
  if (!body.alter) requireWritableColumns(existing, rows);
  const { table, schemaChange } = await addMissingColumns(
    transaction,
    { dialect, table: existing },
    { alter: body.alter, rows },
  );
  const values = applyColumnTypes(types, await rowValuesInSlices(rows, request, formsOf({ dialect, table })));
  await insertInto(dialect, transaction, body, values);
  return { schema: table.sql ?? "", isNew: false, schemaChange };
}

const ROWID_NAMES = ["rowid", "oid", "_rowid_"];

/** Compares names like SQLite, ignoring case. @throws WriteRejected with SQLite's message */
function requireWritableColumns(table: Table, rows: readonly JsonObject[]): void {
  const names = [...writableColumns(table).map(({ name }) => name), ...keyColumns(table)];
  if (table.rowidName !== null) names.push(...ROWID_NAMES);
  const writable = new Set(names.map(foldName));
  const unknown = rows.flatMap((row) => [...row.keys()]).find((name) => !writable.has(foldName(name)));
  if (unknown === undefined) return;
  throw new WriteRejected([`table ${table.name} has no column named ${unknown}`]);
}

async function insertInto(
  dialect: Dialect,
  transaction: Transaction,
  body: CreateRequest,
  rows: readonly RowValues[],
): Promise<void> {
  if (rows.length === 0) return;
  const table = (await transaction.schema()).tables.get(body.table);
  if (table === undefined) throw new WriteRejected([`no such table: ${body.table}`]);
  await insertRows(transaction, { dialect, table, rows, conflict: conflictOf(body), returning: [] });
}

function checkSameKey({ primaryKeys }: Table, { pk, pks }: CreateRequest): void {
  const [only] = primaryKeys;
  const isOther =
    primaryKeys.length === 1
      ? pk !== "" && pk !== only
      : primaryKeys.length > 1 && pks.length > 0 && !sameSet(pks, primaryKeys);
  if (isOther) throw new WriteRejected(["pk cannot be changed for existing table"]);
}

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.every((name) => right.includes(name)) && right.every((name) => left.includes(name));

const withoutBrackets = (name: string): string => name.replace(/[[\]]/g, "_");

/** @throws WriteRejected if two names become the same, because one of the values would be lost */
function renameMembers(row: JsonObject, rename: (name: string) => string): JsonObject {
  const renamed: JsonObject = new Map([...row].map(([name, value]) => [rename(name), value]));
  if (renamed.size === row.size) return renamed;
  const names = [...row.keys()].map(rename);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  throw new WriteRejected([`duplicate column name: ${repeated ?? ""}`]);
}

/** The CREATE TABLE statement in its published layout. @param tables that columns may reference @throws WriteRejected */
export function tableSql(
  dialect: Dialect,
  body: Pick<CreateRequest, "table" | "columns" | "pk" | "pks"> & Partial<Pick<CreateRequest, "checks">>,
  given: readonly NewColumn[],
  tables: ReferableTables = new Map(),
): string {
  if (given.some(({ name }) => /[[\]]/.test(name))) {
    throw new WriteRejected(["'[' and ']' cannot be used in column names"]);
  }
  const { ownKey } = dialect.definitions;
  const declaredName = (name: string): string => dialect.definitions.declaredName(storableText(name));
  const keys = keysOf(body);
  const columns = withKey(given, keys);
  const single = keys.length === 1 ? keys[0] : undefined;
  const referable = new Map([
    ...tables,
    [body.table, { kind: "table", primaryKeys: keys, columns }],
  ] as const);
  const lines = columns.map(({ name, type, constraints = [], choices, references }) =>
    [
      `${declaredName(name)} ${declaredType(dialect, type)}`,
      ...(name === single ? [keyClause(dialect, type)] : []),
      ...constraints,
      ...(choices === undefined ? [] : [`CHECK (${declaredName(name)} IN (${choices.join(", ")}))`]),
      ...(references === undefined ? [] : [referenceSql(references, referable, declaredName)]),
    ].join(" "),
  );
  if (keys.length === 0 && ownKey !== null) lines.unshift(ownKey);
  if (keys.length > 1) lines.push(`PRIMARY KEY (${keys.map(declaredName).join(", ")})`);
  lines.push(...(body.checks ?? []).map((check) => checkSql(check, columns)));
  return `CREATE TABLE ${declaredName(body.table)} (\n${lines.map((line) => `   ${line}`).join(",\n")}\n)`;
}

const keyClause = ({ definitions }: Dialect, type: NewColumn["type"]): string =>
  `${type === "integer" ? definitions.assignedKey : ""} PRIMARY KEY`.trimStart();

/** Inferred columns have no brackets in their names, so the brackets in key names are replaced, too. */
function keysOf({ columns, pk, pks }: Pick<CreateRequest, "columns" | "pk" | "pks">): readonly string[] {
  const keys = pk === "" ? pks : [pk];
  return columns === null ? keys.map(withoutBrackets) : keys;
}

/** A single key that is not among the columns is added first, as an integer that SQLite assigns. @throws WriteRejected */
function withKey(columns: readonly NewColumn[], keys: readonly string[]): readonly NewColumn[] {
  const missing = keys.find((key) => !columns.some(({ name }) => name === key));
  if (missing === undefined) return columns;
  if (keys.length > 1) throw new WriteRejected([`no such column: ${missing}`]);
  return [{ name: missing, type: "integer" }, ...columns];
}
