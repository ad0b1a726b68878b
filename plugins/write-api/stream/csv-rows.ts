import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { CastingContext, Info } from "csv-parse";
import { WriteRejected } from "rowhouse/plugin-api";
import type { ReadRow, RowSource } from "./read-row.js";

/** In characters; a quote that is never closed makes a record of all that follows. */
const LONGEST_RECORD = 16 * 1024 * 1024;
const ROWS_AT_ONCE = 500;

interface CsvRecord {
  readonly record: readonly (string | null)[];
  readonly info: Info;
}

/**
 * Rows of comma- or tab-separated values behind a line of column names. An empty field is NULL, a quoted one
 * (`""`) an empty text.
 *
 * @throws WriteRejected for text that is not CSV, and for column names that are missing or doubled
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: "," | "\t"): RowSource {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    cast: (value: string, { quoting }: CastingContext) => (value === "" && !quoting ? null : value),
  });
  const source = Readable.from(text);
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let header: readonly string[] | null = null;
  let rows: ReadRow[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (header === null) {
        header = columnNames(record);
        continue;
      }
      rows.push(readRecord(header, record, info.lines));
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? new WriteRejected([`Invalid CSV: ${error.message}`]) : error;
  } finally {
    source.destroy();
  }
  if (header === null) throw new WriteRejected(["Invalid CSV: there is no line of column names"]);
  yield rows;
}

function columnNames(record: readonly (string | null)[]): readonly string[] {
  const names = record.map((name) => name ?? "");
  if (names.includes("")) throw new WriteRejected(["Column name is required"]);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new WriteRejected([`Duplicate column name: ${repeated}`]);
  return names;
}

function readRecord(header: readonly string[], record: readonly (string | null)[], line: number): ReadRow {
  if (record.length !== header.length) {
    return { line, problem: `has ${record.length} fields, not ${header.length}` };
  }
  return { line, row: new Map(header.map((name, index) => [name, record[index] ?? null])) };
}
