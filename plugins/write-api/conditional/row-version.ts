import { createHash } from "node:crypto";
import { jsonText, quoteIdentifier } from "rowhouse/plugin-api";
import type { ReadableTable, Rows, SqlParams, SqlValue } from "rowhouse/plugin-api";
import { addressColumns, columnTuple } from "../row-address.js";
import { encodeRow } from "../json-row-encoding.js";
import { ownColumns } from "../stored-rows.js";

type Read = (sql: string, params: SqlParams) => Promise<Rows>;

/**
 * The version of a row: a strong entity tag, quotes included, that is another one as soon as any value or column
 * that the actor can read is another one. The same in every process.
 *
 * @returns null when there is no such row
 */
export async function rowVersion(
  read: Read,
  readable: ReadableTable,
  address: readonly SqlValue[],
): Promise<string | null> {
  const columns = ownColumns(readable.table);
  const found = addressColumns(readable.table);
  const { json, cells } = encodeRow({ columns: found, rows: [address] });
  const sql =
    `select ${columns.map(quoteIdentifier).join(", ")} from ${readable.flattenable} ` +
    `where ${columnTuple(found)} in (select ${cells.join(", ")} from json_each(:address))`;
  const { rows } = await read(sql, { ...readable.params, address: json });
  const [row] = rows;
  if (row === undefined) return null;
  const digest = createHash("sha256").update(jsonText([columns, row.map(toldApart)]));
  return `"${digest.digest("base64url").slice(0, 22)}"`;
}

/** Bytes may spell a text, and are none. */
const toldApart = (value: SqlValue): unknown =>
  value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value;
