import { Labelled, plainValue } from "rowhouse/plugin-api";
import type { Cell, SqlValue } from "rowhouse/plugin-api";

/** The address at which the bytes of a cell can be fetched. */
export type BlobLink = (bytes: Uint8Array, column: string, row: number) => string;

export interface CsvColumns {
  readonly columns: readonly string[];
  /** Columns that are followed by their labels. */
  readonly labelled: ReadonlySet<string>;
}

/** The line of names. */
export const headingLine = ({ columns, labelled }: CsvColumns): string =>
  csvLine(columns.flatMap((column) => (labelled.has(column) ? [column, `${column}_label`] : [column])));

/** One row as a line; `row` counts from 0 within its batch. */
export function rowLine(
  { columns, labelled }: CsvColumns,
  cells: readonly Cell[],
  row: number,
  link: BlobLink,
) {
  const fields: string[] = [];
  columns.forEach((column, place) => {
    const cell = cells[place] ?? null;
    fields.push(fieldText(plainValue(cell), (bytes) => link(bytes, column, row)));
    if (labelled.has(column)) fields.push(cell instanceof Labelled ? labelText(cell.label) : "");
  });
  return csvLine(fields);
}

function fieldText(value: SqlValue, link: (bytes: Uint8Array) => string): string {
  if (value === null) return "";
  return value instanceof Uint8Array ? link(value) : String(value);
}

const labelText = (label: SqlValue): string =>
  fieldText(label, (bytes) => Buffer.from(bytes).toString("utf8"));

// A lone empty field would otherwise be an empty line, which readers skip.
const csvLine = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === "" ? '""\r\n' : `${fields.map(quoted).join(",")}\r\n`;

const NEEDS_QUOTES = /[",\r\n]/;

const quoted = (field: string): string =>
  NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
