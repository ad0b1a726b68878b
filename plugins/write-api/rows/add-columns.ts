import { WriteRejected, quoteIdentifier, sqlTokens } from "rowhouse/plugin-api";
import type { Table, TrackedEvent, Transaction } from "rowhouse/plugin-api";
import { eventFacts } from "../operation.js";
import { requirePermission } from "../target/authorize-write.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { requireWhole } from "../target/table-target.js";
import type { TableTarget } from "../target/table-target.js";
import { declaredName, declaredTypes, inferColumns } from "./new-columns.js";
import type { NewColumn } from "./new-columns.js";
import { knownColumns } from "./rows-request.js";
import type { RowsRequest } from "./rows-request.js";

/** A table's schema before and after columns were added. */
export interface Widened {
  readonly before: string;
  readonly after: string;
}

export interface WidenedTable {
  readonly table: Table;
  /** Null where nothing was added. */
  readonly widened: Widened | null;
}

/** @throws WriteRejected (403) for those who may not alter the table */
export async function requireAltering(
  visit: WriteVisit,
  { database, table, readable }: TableTarget,
): Promise<void> {
  await requirePermission(
    visit,
    ["alter-table", [database.name, table.name]],
    "Permission denied for alter-table",
  );
  requireWhole(readable);
}

/** Adds the columns that rows have and the table has not, where that was asked for. @throws WriteRejected, SqlFailed */
export async function widenFor(
  transaction: Transaction,
  table: Table,
  { alter, rows }: Pick<RowsRequest, "alter" | "rows">,
): Promise<WidenedTable> {
  if (!alter) return { table, widened: null };
  const known = knownColumns(table);
  return addColumns(
    transaction,
    table,
    inferColumns(rows).filter(({ name }) => !known.has(name)),
  );
}

/** Adds columns at the end of a table. @throws WriteRejected, SqlFailed */
export async function addColumns(
  transaction: Transaction,
  table: Table,
  columns: readonly NewColumn[],
): Promise<WidenedTable> {
  if (columns.length === 0) return { table, widened: null };
  const name = quoteIdentifier(table.name);
  for (const column of columns) {
    await transaction.run(`alter table ${name} add column ${columnSql(column, table)}`);
  }
  const wider = (await transaction.schema()).tables.get(table.name) ?? table;
  return { table: wider, widened: { before: table.sql ?? "", after: wider.sql ?? "" } };
}

function columnSql({ name, type }: NewColumn, table: Table): string {
  if (/[[\]]/.test(name)) throw new WriteRejected(["'[' and ']' cannot be used in column names"]);
  // STRICT tables know no FLOAT.
  const declared = type === "float" && isStrict(table) ? "REAL" : declaredTypes[type];
  return `${declaredName(name)} ${declared}`;
}

const isStrict = ({ sql }: Table): boolean => {
  const tokens = sqlTokens(sql ?? "");
  const end = tokens.findLastIndex(({ text }) => text === ")");
  return tokens.slice(end).some(({ kind, text }) => kind === "word" && text.toLowerCase() === "strict");
};

/** What plugins are told of the columns that rows brought with them. */
export function widenedEvents(
  visit: WriteVisit,
  target: TableTarget,
  widened: Widened | null | undefined,
): readonly TrackedEvent[] {
  if (widened === null || widened === undefined) return [];
  const { before, after } = widened;
  return [{ name: "alter-table", ...eventFacts(visit, target), before_schema: before, after_schema: after }];
}
