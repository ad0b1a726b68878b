import {
  columnsOf,
  keyOf,
  rowsOf,
  tryRows,
  WriteRefused,
  type RowOperation,
  type RowPlace,
} from "rowhouse/browser";
import { misfit, textOf, valueOf } from "./cell-value.js";
import type { EditedColumn, EditedTable } from "./edited-table.js";
import { missingReference } from "./reference-check.js";
import { readRows, type StoredRow } from "./stored-row.js";
import { t } from "./texts.js";

/** A pasted value, and what is there now. */
export interface PlannedCell {
  readonly column: string;
  readonly text: string;
  /** Null for new rows. */
  readonly before: string | null;
  /** Why the value does not fit the declared type, or cannot be written. */
  readonly doubt: string | null;
}

/** A row that a paste changes or adds. */
export interface PlannedRow {
  /** The key; null for new rows. */
  readonly key: readonly string[] | null;
  readonly cells: readonly PlannedCell[];
  /** Null if there is nothing to write. */
  readonly operation: RowOperation | null;
  /** Why it is refused; null if it is not. */
  readonly refusal: string | null;
}

/** The cell at which a paste begins. */
export interface PasteStart {
  readonly row: number;
  readonly column: number;
}

/** Most rows of a paste; files are for more. */
export const MOST_PASTED = 500;

type Sheet = readonly (readonly string[])[];

/**
 * What a paste at a cell would change, and which rows the server refuses. Nothing is written.
 *
 * @param table null on a page without rows
 */
export async function planPaste(
  table: HTMLTableElement | null,
  edited: EditedTable,
  { sheet, start }: { readonly sheet: Sheet; readonly start: PasteStart | null },
): Promise<readonly PlannedRow[]> {
  const names = (table === null ? edited.columns : columnsOf(table)).map(targetOf(edited));
  const rows =
    start === null || table === null ? [] : rowsOf(table).slice(start.row, start.row + sheet.length);
  const { columns, lines } = layOut(names, sheet, start);
  const stored = await readRows(rows);
  const planned = lines.map((texts, index): PlannedRow => {
    const [row, before] = [rows[index], stored[index]];
    const isNew = row === undefined;
    if (isNew && !edited.mayInsert) return refused(columns, texts, t("script.may_not_add"));
    if (!isNew && !edited.mayUpdate) return refused(columns, texts, t("script.may_not_change"));
    return isNew || before === null || before === undefined
      ? newRow(columns, texts)
      : changedRow(columns, texts, { row, before });
  });
  return withRefusals(await withReferences(planned, edited));
}

/** Doubts about foreign keys without a row: not every database refuses them. */
async function withReferences(
  planned: readonly PlannedRow[],
  { columns }: EditedTable,
): Promise<readonly PlannedRow[]> {
  const found = new Map<string, Promise<string | null>>();
  const doubtOf = (cell: PlannedCell): Promise<string | null> => {
    const column = columns.find(({ name }) => name === cell.column);
    const isKnown = cell.doubt !== null || cell.text === cell.before || !column?.reference;
    if (isKnown) return Promise.resolve(cell.doubt);
    const known = found.get(`${column.name}\n${cell.text}`) ?? missingReference(cell.text, column);
    found.set(`${column.name}\n${cell.text}`, known);
    return known;
  };
  const doubted = async (row: PlannedRow): Promise<PlannedRow> => ({
    ...row,
    cells: await Promise.all(row.cells.map(async (cell) => ({ ...cell, doubt: await doubtOf(cell) }))),
  });
  return Promise.all(planned.map(doubted));
}

interface Target {
  readonly place: Pick<EditedColumn, "name" | "isKey">;
  /** Null for columns that cannot be written. */
  readonly column: EditedColumn | null;
}

const targetOf =
  ({ columns }: EditedTable) =>
  (place: Target["place"]): Target => ({
    place,
    column: columns.find(({ name }) => name === place.name) ?? null,
  });

/** Which column each value is for. A first line with names of columns says it for new rows. */
function layOut(
  targets: readonly Target[],
  sheet: Sheet,
  start: PasteStart | null,
): { readonly columns: readonly (Target | null)[]; readonly lines: Sheet } {
  const [first = [], ...others] = sheet;
  const named = first.map((name) => targets.find((one) => sameName(one.place.name, name)) ?? null);
  const hasNames = start === null && others.length > 0 && named.every((one) => one !== null);
  if (hasNames) return { columns: named, lines: others };
  const width = Math.max(...sheet.map(({ length }) => length));
  const isWhole = width >= targets.length;
  const firstFree = targets.findIndex(({ place }) => !place.isKey);
  const from = start?.column ?? (isWhole ? 0 : Math.max(0, firstFree));
  return {
    columns: Array.from({ length: width }, (_, index) => targets[from + index] ?? null),
    lines: sheet,
  };
}

const sameName = (name: string, other: string): boolean => name.toLowerCase() === other.trim().toLowerCase();

type Columns = readonly (Target | null)[];

const cellsOf = (
  columns: Columns,
  texts: readonly string[],
  doubtOf: (target: Target, text: string) => string | null,
): readonly PlannedCell[] =>
  texts.map((text, index) => {
    const target = columns[index] ?? null;
    if (target === null) return { column: "", text, before: null, doubt: t("script.no_column") };
    return { column: target.place.name, text, before: null, doubt: doubtOf(target, text) };
  });

function refused(columns: Columns, texts: readonly string[], refusal: string): PlannedRow {
  return { key: null, cells: cellsOf(columns, texts, () => null), operation: null, refusal };
}

/** An empty cell of a new row is left to the default of its column. */
function newRow(columns: Columns, texts: readonly string[]): PlannedRow {
  const cells = cellsOf(columns, texts, ({ column }, text) =>
    column === null ? unwritable(text) : misfit(text, column),
  );
  const filled = texts.flatMap((text, index) => {
    const column = columns[index]?.column;
    return text === "" || !column ? [] : [[column.name, valueOf(text, column)] as const];
  });
  const refusal = refusalOf(columns, cells);
  const row = Object.fromEntries(filled);
  return { key: null, cells, operation: refusal === null ? { op: "insert", row } : null, refusal };
}

interface Existing {
  readonly row: RowPlace;
  readonly before: StoredRow;
}

function changedRow(columns: Columns, texts: readonly string[], { row, before }: Existing): PlannedRow {
  const storedText = (name: string): string | null => textOf(before.values[name]);
  const cells = cellsOf(columns, texts, ({ place, column }, text) => {
    if (storedText(place.name) === text) return null;
    if (place.isKey) return t("script.key_stays");
    return column === null ? unwritable(text) : misfit(text, column);
  }).map((cell) => ({ ...cell, before: storedText(cell.column) ?? t("script.binary") }));
  const changed = cells.flatMap(({ column: name, text, before: old }, index) => {
    const column = columns[index]?.column;
    return text === old || !column ? [] : [[name, valueOf(text, column)] as const];
  });
  const key = keyOf(row) ?? [];
  const refusal = refusalOf(columns, cells);
  const update = Object.fromEntries(changed);
  const isSame = changed.length === 0 || refusal !== null;
  const operation: RowOperation = { op: "update", key, if_match: before.version, update };
  return { key, cells, operation: isSame ? null : operation, refusal };
}

const unwritable = (text: string): string | null => (text === "" ? null : t("script.unwritable"));

/** A value that only does not fit is stored as text; others are refused. */
const refusalOf = (columns: Columns, cells: readonly PlannedCell[]): string | null =>
  cells.find(({ doubt, text }, index) => {
    const column = columns[index]?.column;
    return doubt !== null && !(column && doubt === misfit(text, column));
  })?.doubt ?? null;

const MOST_REFUSALS = 50;

/** Tries all operations, without those that were refused, until the rest succeeds. */
async function withRefusals(planned: readonly PlannedRow[]): Promise<readonly PlannedRow[]> {
  const rows = [...planned];
  for (let tries = 0; tries < MOST_REFUSALS; tries += 1) {
    const tried = rows.flatMap(({ operation }, index) => (operation === null ? [] : [{ index, operation }]));
    if (tried.length === 0) return rows;
    try {
      await tryRows(tried.map(({ operation }) => operation));
      return rows;
    } catch (error) {
      const [, number, refusal = ""] =
        (error instanceof WriteRefused && /^Operation (\d+): ([^]*)/.exec(error.errors[0] ?? "")) || [];
      const wrong = tried[Number(number)];
      if (number === undefined || wrong === undefined) throw error;
      const row = rows[wrong.index];
      if (row !== undefined) rows[wrong.index] = { ...row, operation: null, refusal };
    }
  }
  throw new Error(t("script.most_refusals", { count: MOST_REFUSALS }));
}
