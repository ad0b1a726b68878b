import { Real, encodeRows, type Dialect } from "rowhouse/plugin-api/engine";
import { spellsDouble } from "rowhouse/plugin-api/csv";
import { WriteRejected, type SqlValue, type Table } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";
import { TimeSlices } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import {
  isMisread,
  requireFewColumns,
  rowValues,
  splitIntoRuns,
  withoutNullKeys,
  type FormOf,
  type RowValues,
} from "../json/cell-values.js";
import { ColumnInference, typeFor, type NewColumn, type ValueKind } from "../rows/new-columns.js";
import { applyColumnTypesToRow, rowErrors, type RowRules } from "../rows/rows-request.js";
import { RowProblems } from "./row-problems.js";
import type { ParsedRow, RowSource } from "./row-sources.js";
import type { StagedRows } from "./staged-rows.js";

/** The result of staging rows. */
export interface StagingResult {
  readonly count: number;
  /** Columns of the rows that the table lacks. */
  readonly newColumns: readonly NewColumn[];
}

interface StagingOptions {
  readonly rules: RowRules;
  readonly newColumns: NewColumnCollector;
  /** Null if it is made for the rows. */
  readonly table: Table | null;
  readonly staged: StagedRows;
  /** The column types of the table; null if it has none. */
  readonly types: TypedColumns | null;
  /** The engine of the table. */
  readonly dialect: Dialect;
  readonly formOf: FormOf;
}

/**
 * Validates rows and writes them to the staging file, in slices. Reads the whole body to report all errors, unless very
 * many rows have some.
 *
 * @throws WriteRejected
 */
export async function stageRows(source: RowSource, receiving: StagingOptions): Promise<StagingResult> {
  const { newColumns, table } = receiving;
  const problems = new RowProblems();
  const slices = new TimeSlices();
  let count = 0;
  for await (const rows of source) {
    const good: { readonly line: number | null; readonly values: RowValues }[] = [];
    for (const [index, read] of rows.entries()) {
      if (slices.isOver) await slices.next();
      const values = validValues(read, count + index, receiving, problems);
      if (values === null || !("row" in read)) continue;
      newColumns.observe(read.row);
      good.push({ line: read.line, values: table === null ? values : withoutNullKeys(values, table) });
    }
    await slices.nextIfOver();
    if (problems.count === 0) await addToStage(receiving, good, count);
    problems.throwIfVeryMany();
    await slices.nextIfOver();
    count += rows.length;
  }
  problems.throwIfAny();
  return { count, newColumns: newColumns.columns() };
}

function validValues(
  read: ParsedRow,
  index: number,
  { rules, types, formOf }: StagingOptions,
  problems: RowProblems,
): RowValues | null {
  const place = problems.labelOf(index, read.line);
  if ("problem" in read) {
    problems.add([`${place}: ${read.problem}`]);
    return null;
  }
  try {
    requireFewColumns(read.row.size);
    const mistakes = rowErrors(read.row, place, rules);
    if (mistakes.length > 0) {
      problems.add(mistakes);
      return null;
    }
    const sent = read.values ?? rowValues(read.row, formOf);
    if (types === null) return sent;
    const { values, mistakes: refused } = applyColumnTypesToRow(types, sent, `${place} has an invalid value`);
    if (refused.length === 0) return values;
    problems.add(refused);
    return null;
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error;
    problems.add(error.errors.map((message) => `${place}: ${message}`));
    return null;
  }
}

async function addToStage(
  { staged, dialect }: StagingOptions,
  rows: readonly { readonly line: number | null; readonly values: RowValues }[],
  first: number,
): Promise<void> {
  let at = 0;
  for (const run of splitIntoRuns(rows.map(({ values }) => values))) {
    const lines = rows.slice(at, at + run.rows.length).map(({ line }) => line);
    const misread = run.columns.filter((_, column) => run.rows.some((row) => isMisreadCell(row[column])));
    await staged.add({ ...encodeRows(run, dialect.definitions.numbers), first: first + at, lines, misread });
    at += run.rows.length;
  }
}

const isMisreadCell = (value: SqlValue | undefined): boolean => value instanceof Real && isMisread(value);

/** Collects columns that the table lacks, with types that fit all rows. */
export interface NewColumnCollector {
  observe(row: JsonObject): void;
  columns(): readonly NewColumn[];
}

/** Collects no columns, for requests without `alter`. */
export const noNewColumns: NewColumnCollector = { observe: () => undefined, columns: () => [] };

/** Infers types from JSON values. */
export function inferColumnsFromValues(known: ReadonlySet<string>): NewColumnCollector {
  const seen = new ColumnInference();
  const isNew = (column: string): boolean => !known.has(column);
  return { observe: (row) => seen.add(row, isNew), columns: () => seen.columns() };
}

/** Infers types from CSV texts. A text counts as a number only if it is stored and read back without a change. */
export function inferColumnsFromTexts(known: ReadonlySet<string>): NewColumnCollector {
  const kinds = new Map<string, Set<ValueKind>>();
  return {
    observe(row) {
      for (const [column, value] of row) {
        if (known.has(column)) continue;
        const seen = kinds.get(column) ?? new Set<ValueKind>();
        kinds.set(column, seen);
        if (typeof value === "string") seen.add(kindOf(value));
      }
    },
    columns: () => [...kinds].map(([name, seen]) => ({ name, type: typeFor(seen) })),
  };
}

/** Without `-0`: only a REAL has a negative zero. */
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

function kindOf(text: string): ValueKind {
  if (INTEGER.test(text)) return kindOfInteger(text);
  return spellsDouble(text) ? "real" : "text";
}

function kindOfInteger(text: string): ValueKind {
  if (Number.isSafeInteger(Number(text))) return "integer";
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? "wide" : "text";
}
