import { WriteRejected } from "rowhouse/plugin-api";
import { CsvRecords } from "./csv-records.js";
import type { CsvRecord } from "./csv-records.js";
import type { ReadRow, RowSource } from "./read-row.js";

/**
 * Rows of comma- or tab-separated values behind a line of column names. An empty field is NULL, a quoted one
 * (`""`) an empty text.
 *
 * @throws WriteRejected for text that is not CSV, and for column names that are missing or doubled
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: "," | "\t"): RowSource {
  let names: readonly string[] | null = null;
  for await (const records of recordsOf(text, delimiter)) {
    const [first, ...rest] = records;
    if (first === undefined) continue;
    if (names !== null) {
      yield records.map(rowReader(names));
      continue;
    }
    names = columnNames(first);
    yield rest.map(rowReader(names));
  }
  if (names === null) throw new WriteRejected(["Invalid CSV: there is no line of column names"]);
}

async function* recordsOf(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncIterable<readonly CsvRecord[]> {
  const records = new CsvRecords(delimiter);
  for await (const piece of text) yield records.add(piece);
  yield records.end();
}

function columnNames({ fields }: CsvRecord): readonly string[] {
  const names = fields.map((name) => name ?? "");
  if (names.includes("")) throw new WriteRejected(["Column name is required"]);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new WriteRejected([`Duplicate column name: ${repeated}`]);
  return names;
}

const rowReader =
  (names: readonly string[]) =>
  ({ line, fields }: CsvRecord): ReadRow => {
    if (fields.length !== names.length) {
      return { line, problem: `has ${fields.length} fields, not ${names.length}` };
    }
    const row = new Map<string, string | null>();
    for (const [index, name] of names.entries()) row.set(name, fields[index] ?? null);
    return { line, row };
  };
