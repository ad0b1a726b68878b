import { WriteRejected } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api";
import { rowValues } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { encodeRow, runsOf } from "../json/row-encoding.js";
import { acceptRow } from "../rows/column-type-checks.js";
import { SeenColumns, typeFor } from "../rows/new-columns.js";
import type { NewColumn, Kind } from "../rows/new-columns.js";
import { rowMistakes } from "../rows/rows-request.js";
import type { RowRules } from "../rows/rows-request.js";
import { Problems } from "./row-problems.js";
import type { ReadRow, RowSource } from "./row-sources.js";
import type { StagedRows } from "./staged-rows.js";

/** What came in, checked and put into the spool. */
export interface Received {
  readonly count: number;
  /** Columns that rows have and the table has not. */
  readonly newColumns: readonly NewColumn[];
}

interface Receiving {
  readonly rules: RowRules;
  readonly newColumns: NewColumns;
  readonly spool: StagedRows;
  /** Of the columns of the table; null where they have none. */
  readonly types: TypedColumns | null;
}

/** A body is read to its end, so that all that is wrong with it can be told. @throws WriteRejected */
export async function receive(source: RowSource, receiving: Receiving): Promise<Received> {
  const { newColumns, spool } = receiving;
  const problems = new Problems();
  let count = 0;
  for await (const rows of source) {
    const good: { readonly line: number | null; readonly values: RowValues }[] = [];
    for (const [index, read] of rows.entries()) {
      const values = checked(read, count + index, receiving, problems);
      if (values === null || !("row" in read)) continue;
      newColumns.see(read.row);
      good.push({ line: read.line, values });
    }
    if (problems.count === 0) await spoolRows(spool, good, count);
    count += rows.length;
  }
  problems.throwIfAny();
  return { count, newColumns: newColumns.columns() };
}

function checked(
  read: ReadRow,
  index: number,
  { rules, types }: Receiving,
  problems: Problems,
): RowValues | null {
  const place = problems.placeOf(index, read.line);
  if ("problem" in read) {
    problems.add([`${place}: ${read.problem}`]);
    return null;
  }
  const mistakes = rowMistakes(read.row, place, rules);
  if (mistakes.length > 0) {
    problems.add(mistakes);
    return null;
  }
  try {
    const sent = rowValues(read.row);
    if (types === null) return sent;
    const { values, mistakes: refused } = acceptRow(types, sent, `${place} has an invalid value`);
    if (refused.length === 0) return values;
    problems.add(refused);
    return null;
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error;
    problems.add(error.errors.map((message) => `${place}: ${message}`));
    return null;
  }
}

async function spoolRows(
  spool: StagedRows,
  rows: readonly { readonly line: number | null; readonly values: RowValues }[],
  first: number,
): Promise<void> {
  let at = 0;
  for (const run of runsOf(rows.map(({ values }) => values))) {
    const lines = rows.slice(at, at + run.rows.length).map(({ line }) => line);
    await spool.add({ ...encodeRow(run), first: first + at, lines });
    at += run.rows.length;
  }
}

/** Columns that rows have and the table has not, with types that fit all rows. */
export interface NewColumns {
  see(row: JsonObject): void;
  columns(): readonly NewColumn[];
}

/** No row brings a new one. */
export const noNewColumns: NewColumns = { see: () => undefined, columns: () => [] };

/** Types by what the values are. */
export function newColumnsOfValues(known: ReadonlySet<string>): NewColumns {
  const seen = new SeenColumns();
  const isNew = (column: string): boolean => !known.has(column);
  return { see: (row) => seen.add(row, isNew), columns: () => seen.columns() };
}

/** Types by what the texts spell: numbers that come out again as they went in. */
export function newColumnsOfTexts(known: ReadonlySet<string>): NewColumns {
  const kinds = new Map<string, Set<Kind>>();
  return {
    see(row) {
      for (const [column, value] of row) {
        if (known.has(column)) continue;
        const seen = kinds.get(column) ?? new Set<Kind>();
        kinds.set(column, seen);
        if (typeof value === "string") seen.add(kindOf(value));
      }
    },
    columns: () => [...kinds].map(([name, seen]) => ({ name, type: typeFor(seen) })),
  };
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

function kindOf(text: string): Kind {
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text)) ? "integer" : "wide";
  return NUMBER.test(text) ? "real" : "text";
}
