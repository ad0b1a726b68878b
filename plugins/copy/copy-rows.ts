import type { Database, SqlValue, Table } from "rowhouse/plugin-api";
import { encodeRows } from "rowhouse/plugin-api/engine";
import { carried } from "./carried-value.js";
import { ALL_ROWS } from "./column-kinds.js";
import type { CopyTarget } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { TableDigest } from "./table-digest.js";

/** Rows of one INSERT statement, as far as their text is not too long. */
const MAX_BATCH_CHARACTERS = 4_000_000;

/** A table to fill. */
export interface RowsCopy extends Pick<CopyTarget, "dialect" | "transaction"> {
  readonly from: Database;
  readonly copy: TableCopy;
  /** The columns to fill; the others are generated. */
  readonly filled: readonly string[];
  readonly target: Table;
  /** Called after each batch with the number of rows so far. */
  readonly onRows: (table: string, count: number) => void;
}

/** Copies the rows of a table. Returns the digest of what was read. */
export async function copyRows(rows: RowsCopy): Promise<TableDigest> {
  const { from, dialect, transaction, copy, filled: columns, target, onRows } = rows;
  const places = columns.map((name) => copy.columns.indexOf(name));
  const types = places.map((place) => copy.types[place] ?? "text");
  let count = 0;
  const insert = async (some: readonly (readonly SqlValue[])[]): Promise<void> => {
    const { json, kinds } = encodeRows({ columns, rows: some }, dialect.definitions.numbers);
    const select = dialect.packedRows({ table: target, columns, kinds, parameter: "?" });
    const sql = dialect.insertRows({ table: target, columns, select, conflict: "fail", returning: [] });
    await transaction.run(sql, [json]);
    count += some.length;
    onRows(target.name, count);
  };
  const digest = new TableDigest(copy.types);
  for await (const batch of from.stream(copy.sql, [], ALL_ROWS)) {
    for (const row of batch.rows) digest.add(row);
    const values = batch.rows.map((row) =>
      places.map((place, index) => carried(row[place] ?? null, types[index] ?? "text")),
    );
    for (const one of batches(values)) await insert(one);
  }
  const after = dialect.definitions.afterInsert?.(target, columns) ?? null;
  if (after !== null && count > 0) await transaction.all(after);
  await carrySequence(rows);
  return digest;
}

/** A key that was assigned before is not assigned again, also if its row has been deleted. */
async function carrySequence({ from, dialect, transaction, copy, target }: RowsCopy): Promise<void> {
  const reading = from.dialect.definitions.lastAssigned(copy.table);
  if (reading === null) return;
  const last = (await from.read(reading)).rows[0]?.[0] ?? null;
  if (typeof last !== "number" && typeof last !== "bigint") return;
  const moving = dialect.definitions.assignAfter(target, last);
  if (moving !== null) await transaction.run(moving);
}

function* batches(rows: readonly (readonly SqlValue[])[]): Generator<readonly (readonly SqlValue[])[]> {
  let batch: (readonly SqlValue[])[] = [];
  let length = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row)
      length += typeof value === "string" ? value.length : value instanceof Uint8Array ? value.length * 2 : 8;
    if (length < MAX_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}
