import { quoteIdentifier } from "rowhouse/plugin-api";
import type { FilteredRows, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import { addressColumns, columnTuple } from "../row-address.js";
import { encodeRow } from "../json-row-encoding.js";
import { keyedColumns } from "../stored-rows.js";

/** How many rows a dry run shows. */
const SHOWN_ROWS = 10;

/** A condition on the rows of `table` itself that is true of the selected ones; its values are `selected.params`. */
export function isSelected(table: Table, selected: FilteredRows): string {
  const address = addressColumns(table);
  const columns = address.map(quoteIdentifier).join(", ");
  return `${columnTuple(address)} in (select ${columns} from ${selected.source}${selected.where})`;
}

/** Where the first of the selected rows are, in the order of their addresses. */
export async function firstAddresses(
  transaction: Transaction,
  table: Table,
  { source, where, params }: FilteredRows,
): Promise<readonly (readonly SqlValue[])[]> {
  const columns = addressColumns(table).map(quoteIdentifier).join(", ");
  const sql = `select ${columns} from ${source}${where} order by ${columns} limit ${SHOWN_ROWS}`;
  return (await transaction.all(sql, params)).rows;
}

/** The rows at these addresses as JSON, without what is hidden from the actor. */
export async function rowsAt(
  transaction: Transaction,
  selected: FilteredRows,
  addresses: readonly (readonly SqlValue[])[],
): Promise<readonly string[]> {
  if (addresses.length === 0) return [];
  const address = addressColumns(selected.table);
  const { json, cells } = encodeRow({ columns: address, rows: addresses });
  const columns = keyedColumns(selected.table).map(quoteIdentifier).join(", ");
  const sql =
    `select ${columns} from ${selected.source} where ${columnTuple(address)} in ` +
    `(select ${cells.join(", ")} from json_each(:addresses)) order by ${address.map(quoteIdentifier).join(", ")}`;
  const params = { ...selected.params, addresses: json };
  return (await transaction.allJson(sql, params, { shape: "objects" })).rows;
}
