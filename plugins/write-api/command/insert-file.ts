import { WriteRejected, type Database, type Table, type Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { unrestrictedTable } from "rowhouse/plugin-api/sql";
import { tableSql } from "../create/create-table.js";
import { formsOf, plainForms, type FormOf } from "../json/cell-values.js";
import type { NewColumn } from "../rows/new-columns.js";
import { addColumns } from "../rows/add-columns.js";
import {
  acceptedColumns,
  columnsInOrder,
  insertRules,
  upsertRules,
  type RowRules,
} from "../rows/rows-request.js";
import { bodyText } from "../stream/body-text.js";
import { loadRows } from "../stream/load-rows.js";
import { csvRows, jsonRows, ndjsonRows, type RowSource } from "../stream/row-sources.js";
import {
  inferColumnsFromTexts,
  inferColumnsFromValues,
  noNewColumns,
  stageRows,
  type NewColumnCollector,
  type StagingResult,
} from "../stream/stage-rows.js";
import { StagedRows } from "../stream/staged-rows.js";
import type { StreamOptions } from "../stream/stream-request.js";
import { requireUserTable } from "../target/write-access.js";
import { formatByContent, peek, type Input, type InputFormat } from "./input.js";
import type { Progress } from "./progress.js";

export interface FileInsertion {
  readonly database: Database;
  readonly table: string;
  readonly input: Input;
  /** Null to detect it. */
  readonly format: InputFormat | null;
  readonly csv: CsvFileOptions;
  readonly pks: readonly string[];
  readonly options: StreamOptions;
  readonly progress: Progress;
}

/** How a CSV file is read. */
export interface CsvFileOptions {
  /** Null for the delimiter of the format. */
  readonly delimiter: string | null;
  readonly header: boolean;
  readonly encoding: string;
}

/**
 * Inserts the rows of a file in one transaction. Creates the table if it does not exist.
 *
 * @returns the number of written rows
 * @throws WriteRejected, SqlFailed, DatabaseUnavailable
 */
export async function insertFile(insertion: FileInsertion): Promise<number> {
  const { database, table: name, progress } = insertion;
  const table = (await database.schema()).tables.get(name) ?? null;
  checkTable(table, insertion);
  const staged = await StagedRows.open();
  try {
    const { dialect } = database;
    const formOf = table === null ? plainForms : formsOf({ dialect, table });
    const { format, source, header } = await rowsOf(insertion, table, formOf);
    const newColumns = newColumnsFor(table, format, insertion.options);
    const rules = rulesFor(table, insertion);
    // The command reads no metadata, so columns have no column types.
    const receiving = { rules, newColumns, table, staged, types: null, dialect, formOf };
    const received = await stageRows(source, receiving);
    return await database.write(async (transaction) => {
      const target = await targetTable(database.dialect, transaction, { table, insertion, received, header });
      const rows = { rows: () => withProgress(staged, received.count, progress) };
      const { count } = await loadRows(
        {
          dialect: database.dialect,
          transaction,
          source: unrestrictedTable(target, database.dialect),
          options: insertion.options,
        },
        rows,
      );
      return count;
    });
  } finally {
    await staged.remove();
    progress.clear();
  }
}

function checkTable(table: Table | null, { pks, options, table: name }: FileInsertion): void {
  if (table === null) {
    if (options.upsert && pks.length === 0)
      throw new WriteRejected([`--upsert needs --pk: there is no table ${name} yet`]);
    return;
  }
  if (table.kind === "view") throw new WriteRejected([`${name} is a view`]);
  requireUserTable(table);
  const isSame = pks.length === table.primaryKeys.length && pks.every((pk) => table.primaryKeys.includes(pk));
  if (pks.length > 0 && !isSame) throw new WriteRejected(["pk cannot be changed for existing table"]);
}

function rulesFor(table: Table | null, { options, pks }: FileInsertion): RowRules {
  if (table === null) return { known: null, keys: options.upsert ? pks : [] };
  return options.upsert ? upsertRules(table, options.alter) : insertRules(table, options.alter);
}

function newColumnsFor(
  table: Table | null,
  format: InputFormat,
  { alter }: StreamOptions,
): NewColumnCollector {
  if (table !== null && !alter) return noNewColumns;
  const known = table === null ? new Set<string>() : acceptedColumns(table);
  return format === "csv" || format === "tsv" ? inferColumnsFromTexts(known) : inferColumnsFromValues(known);
}

interface OpenedRows {
  readonly format: InputFormat;
  readonly source: RowSource;
  /** The names of the columns of CSV, known after the source was read. */
  header(): readonly string[];
}

async function rowsOf(
  { input, format, csv, progress }: FileInsertion,
  table: Table | null,
  formOf: FormOf,
): Promise<OpenedRows> {
  let bytesRead = 0;
  const measured = async function* (): AsyncIterable<Uint8Array> {
    for await (const piece of input.bytes) {
      bytesRead += piece.length;
      yield piece;
    }
  };
  const options = { maxBytes: 0, encoding: csv.encoding, name: "file" } as const;
  const { beginning, text } = await peek(bodyText(measured(), options));
  // A delimiter other than the tab is only found if it is stated.
  const found = format ?? (csv.delimiter === null ? formatByContent(beginning) : "csv");
  const columns = table === null ? null : columnsInOrder(table);
  let names: readonly string[] = [];
  const delimiter = csv.delimiter ?? (found === "tsv" ? "\t" : ",");
  const csvOptions = { ...csv, delimiter, onNames: (given: readonly string[]) => void (names = given) };
  const readers: Readonly<Record<InputFormat, () => RowSource>> = {
    csv: () => csvRows(text, csvOptions, columns, formOf),
    tsv: () => csvRows(text, csvOptions, columns, formOf),
    ndjson: () => ndjsonRows(text, formOf),
    json: () => jsonRows(text),
  };
  const counted = async function* (): RowSource {
    let count = 0;
    for await (const rows of readers[found]()) {
      count += rows.length;
      progress.show("Reading", input.sizeBytes === null ? null : bytesRead / input.sizeBytes, count);
      yield rows;
    }
  };
  return { format: found, source: counted(), header: () => names };
}

async function* withProgress(
  staged: StagedRows,
  total: number,
  progress: Progress,
): ReturnType<StagedRows["rows"]> {
  for await (const rows of staged.rows()) {
    yield rows;
    const count = rows.first + rows.count;
    progress.show("Writing", count / total, count);
  }
}

interface Target {
  readonly table: Table | null;
  readonly insertion: FileInsertion;
  readonly received: StagingResult;
  readonly header: OpenedRows["header"];
}

async function targetTable(
  dialect: Dialect,
  transaction: Transaction,
  { table, insertion: { table: name, pks }, received: { newColumns }, header }: Target,
): Promise<Table> {
  if (table !== null) return (await addColumns(transaction, { dialect, table }, newColumns)).table;
  // Without rows, the types of columns are not known.
  const columns =
    newColumns.length > 0
      ? newColumns
      : header().map((column): NewColumn => ({ name: column, type: "text" }));
  if (columns.length === 0) throw new WriteRejected(["There are no rows to make a table of"]);
  await transaction.run(tableSql(dialect, { table: name, columns, pk: "", pks }, columns));
  const made = (await transaction.schema()).tables.get(name);
  if (made === undefined) throw new WriteRejected([`no such table: ${name}`]);
  return made;
}
