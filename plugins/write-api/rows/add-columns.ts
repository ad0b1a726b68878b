import { WriteRejected, type Table, type Transaction } from "rowhouse/plugin-api";
import { isWord, sqlTokens } from "rowhouse/plugin-api/sql";
import type { Dialect } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { storableText } from "../json/cell-values.js";
import type { SchemaChange } from "../operation.js";
import { requirePermission, requireUnrestricted, type WriteContext } from "../target/write-access.js";
import { declaredType, inferColumns, type InferredType, type NewColumn } from "./new-columns.js";
import { acceptedColumns, type RowsRequest } from "./rows-request.js";

/** A table that gets columns. */
interface WidenedTable {
  readonly dialect: Dialect;
  readonly table: Table;
}

export interface AlteredTable {
  readonly table: Table;
  /** Null if no column was added. */
  readonly schemaChange: SchemaChange | null;
}

/** @throws WriteRejected (403) unless the actor may alter the whole table */
export async function requireAlterPermission(
  visit: WriteContext,
  { database, table, source }: TableTarget,
): Promise<void> {
  await requirePermission(
    visit,
    ["alter-table", [database.name, table.name]],
    "Permission denied for alter-table",
  );
  requireUnrestricted(source);
}

/** Adds the columns that the table lacks, if the request has `alter`. @throws WriteRejected, SqlFailed */
export async function addMissingColumns(
  transaction: Transaction,
  widened: WidenedTable,
  { alter, rows }: Pick<RowsRequest, "alter" | "rows">,
): Promise<AlteredTable> {
  const { table } = widened;
  if (!alter) return { table, schemaChange: null };
  const known = acceptedColumns(table);
  const missing = inferColumns(rows).filter(({ name }) => !known.has(name));
  return addColumns(transaction, widened, missing);
}

/** Adds columns at the end of a table. @throws WriteRejected, SqlFailed */
export async function addColumns(
  transaction: Transaction,
  { dialect, table }: WidenedTable,
  columns: readonly NewColumn[],
): Promise<AlteredTable> {
  if (columns.length === 0) return { table, schemaChange: null };
  const name = dialect.quoteIdentifier(table.name);
  for (const column of columns) {
    await transaction.run(`alter table ${name} add column ${columnSql(dialect, column, table)}`);
  }
  const altered = (await transaction.schema()).tables.get(table.name) ?? table;
  return { table: altered, schemaChange: { before: table.sql ?? "", after: altered.sql ?? "" } };
}

function columnSql(dialect: Dialect, { name, type }: NewColumn, table: Table): string {
  if (/[[\]]/.test(name)) throw new WriteRejected(["'[' and ']' cannot be used in column names"]);
  const declared = (isStrict(table) ? STRICT_TYPES[type] : undefined) ?? declaredType(dialect, type);
  return `${dialect.definitions.declaredName(storableText(name))} ${declared}`;
}

/** STRICT tables do not allow the type FLOAT, and store only integers in INTEGER columns. */
const STRICT_TYPES: Readonly<Partial<Record<InferredType, string>>> = { float: "REAL", number: "ANY" };

const isStrict = ({ sql }: Table): boolean => {
  const tokens = sqlTokens(sql ?? "");
  const end = tokens.findLastIndex(({ text }) => text === ")");
  return tokens.slice(end).some((token) => isWord(token, "strict"));
};
