import { WriteRejected, unrestrictedTable } from "rowhouse/plugin-api";
import type { Database, Table, Transaction } from "rowhouse/plugin-api";
import { tableSql } from "../create/create-table.js";
import { addColumns } from "../rows/add-columns.js";
import { insertRules, knownColumns, upsertRules } from "../rows/rows-request.js";
import type { RowRules } from "../rows/rows-request.js";
import { bodyText } from "../stream/body-text.js";
import { load } from "../stream/load-rows.js";
import { csvRows, ndjsonRows, jsonRows } from "../stream/row-sources.js";
import type { RowSource } from "../stream/row-sources.js";
import { newColumnsOfTexts, newColumnsOfValues, noNewColumns, receive } from "../stream/stage-rows.js";
import type { NewColumns, Received } from "../stream/stage-rows.js";
import { StagedRows } from "../stream/staged-rows.js";
import type { StreamRequest } from "../stream/stream-request.js";
import { requireUserTable } from "../target/table-target.js";
import { formatByContent, peek } from "./input.js";
import type { Input, InputFormat } from "./input.js";
import type { Progress } from "./progress.js";

export interface FileInsertion {
  readonly database: Database;
  readonly table: string;
  readonly input: Input;
  /** Null: to be found out. */
  readonly format: InputFormat | null;
  readonly pks: readonly string[];
  readonly asked: StreamRequest;
  readonly progress: Progress;
}

/**
 * Inserts what a file holds in one transaction; the table is made where there is none.
 *
 * @returns the number of rows that were written
 * @throws WriteRejected, SqlFailed, DatabaseUnavailable
 */
export async function insertFile(insertion: FileInsertion): Promise<number> {
  const { database, table: name, progress } = insertion;
  const table = (await database.schema()).tables.get(name) ?? null;
  checkTable(table, insertion);
  const spool = await StagedRows.open();
  try {
    const { format, source } = await rowsOf(insertion);
    const newColumns = newColumnsFor(table, format, insertion.asked);
    const rules = rulesFor(table, insertion);
    // No metadata is read here, and no server runs: columns have no types.
    const received = await receive(source, { rules, newColumns, spool, types: null });
    return await database.write(async (transaction) => {
      const target = await targetTable(transaction, { table, insertion, received });
      const rows = { rows: () => shown(spool, received.count, progress) };
      return load({ transaction, readable: unrestrictedTable(target), asked: insertion.asked }, rows);
    });
  } finally {
    await spool.remove();
    progress.clear();
  }
}

function checkTable(table: Table | null, { pks, asked, table: name }: FileInsertion): void {
  if (table === null) {
    if (asked.upsert && pks.length === 0)
      throw new WriteRejected([`--upsert needs --pk: there is no table ${name} yet`]);
    return;
  }
  if (table.kind === "view") throw new WriteRejected([`${name} is a view`]);
  requireUserTable(table);
  const isSame = pks.length === table.primaryKeys.length && pks.every((pk) => table.primaryKeys.includes(pk));
  if (pks.length > 0 && !isSame) throw new WriteRejected(["pk cannot be changed for existing table"]);
}

function rulesFor(table: Table | null, { asked, pks }: FileInsertion): RowRules {
  if (table === null) return { known: null, keys: asked.upsert ? pks : [] };
  return asked.upsert ? upsertRules(table, asked.alter) : insertRules(table, asked.alter);
}

function newColumnsFor(table: Table | null, format: InputFormat, { alter }: StreamRequest): NewColumns {
  if (table !== null && !alter) return noNewColumns;
  const known = table === null ? new Set<string>() : knownColumns(table);
  return format === "csv" || format === "tsv" ? newColumnsOfTexts(known) : newColumnsOfValues(known);
}

const READERS: Readonly<Record<InputFormat, (text: AsyncIterable<string>) => RowSource>> = {
  csv: (text) => csvRows(text, ","),
  tsv: (text) => csvRows(text, "\t"),
  ndjson: ndjsonRows,
  json: jsonRows,
};

async function rowsOf({
  input,
  format,
  progress,
}: FileInsertion): Promise<{ readonly format: InputFormat; readonly source: RowSource }> {
  let bytesRead = 0;
  const measured = async function* (): AsyncIterable<Uint8Array> {
    for await (const piece of input.bytes) {
      bytesRead += piece.length;
      yield piece;
    }
  };
  const { beginning, text } = await peek(bodyText(measured(), 0));
  const found = format ?? formatByContent(beginning);
  const counted = async function* (): RowSource {
    let count = 0;
    for await (const rows of READERS[found](text)) {
      count += rows.length;
      progress.show("Reading", input.sizeBytes === null ? null : bytesRead / input.sizeBytes, count);
      yield rows;
    }
  };
  return { format: found, source: counted() };
}

async function* shown(spool: StagedRows, total: number, progress: Progress): ReturnType<StagedRows["rows"]> {
  for await (const rows of spool.rows()) {
    yield rows;
    const count = rows.first + rows.count;
    progress.show("Writing", count / total, count);
  }
}

interface Target {
  readonly table: Table | null;
  readonly insertion: FileInsertion;
  readonly received: Received;
}

async function targetTable(
  transaction: Transaction,
  { table, insertion: { table: name, pks }, received: { newColumns } }: Target,
): Promise<Table> {
  if (table !== null) return (await addColumns(transaction, table, newColumns)).table;
  if (newColumns.length === 0) throw new WriteRejected(["There are no rows to make a table of"]);
  await transaction.run(tableSql({ table: name, columns: newColumns, pk: "", pks }, newColumns));
  const made = (await transaction.schema()).tables.get(name);
  if (made === undefined) throw new WriteRejected([`no such table: ${name}`]);
  return made;
}
