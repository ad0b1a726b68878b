import { JsonValue, type Source, type SourceRow } from "../read/source.js";
import { isGiven, kindOf, type ValueKind } from "./kinds.js";

/** A value of the file, and where it is. */
export interface Example {
  readonly place: number;
  readonly text: string;
}

/** How often a kind of value occurs in a column. */
export interface KindCount {
  count: number;
  readonly first: Example;
}

/** What is known of the values of a column. */
export interface ColumnFacts {
  readonly kinds: Map<ValueKind, KindCount>;
  /** Rows without a value. */
  blanks: number;
  /** The place of the first one. */
  firstBlank: number | null;
  /** The values as long as all differ; null if some are equal, or if they are too many to remember. */
  values: Set<string> | null;
}

/** What is known of a file after it was read once. */
export interface Scan {
  /** The names of all columns. */
  readonly columns: readonly string[];
  readonly facts: readonly ColumnFacts[];
  readonly rowCount: number;
  readonly first: readonly SourceRow[];
  /** Rows that could not be read completely. */
  readonly broken: { readonly count: number; readonly first: readonly SourceRow[] };
}

const PREVIEWED_ROWS = 20;
const SHOWN_PROBLEMS = 5;
const MOST_VALUES = 100_000;
/** How long the page may wait for the reading. */
const SLICE_MS = 30;

/**
 * Reads all rows once. Pauses often, so that the page answers.
 *
 * @param onProgress called with the number of rows so far
 * @throws UnreadableFile, and the reason of `signal`
 */
export async function scan(
  source: Source,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(rows: number): void },
): Promise<Scan> {
  const facts: ColumnFacts[] = [];
  const first: SourceRow[] = [];
  const broken: SourceRow[] = [];
  let [rowCount, brokenCount, pausedAt] = [0, 0, performance.now()];
  for await (const rows of source.rows()) {
    for (const row of rows) {
      if (row.problem !== null && ++brokenCount <= SHOWN_PROBLEMS) broken.push(row);
      if (first.length < PREVIEWED_ROWS) first.push(row);
      observe(facts, row, source.columns.length, rowCount);
      rowCount += 1;
    }
    if (performance.now() - pausedAt < SLICE_MS) continue;
    onProgress(rowCount);
    await nextTask();
    signal.throwIfAborted();
    pausedAt = performance.now();
  }
  const columns = [...source.columns];
  while (facts.length < columns.length) facts.push(newFacts());
  return { columns, facts, rowCount, first, broken: { count: brokenCount, first: broken } };
}

/** Lets the browser draw and handle input. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const newFacts = (): ColumnFacts => ({ kinds: new Map(), blanks: 0, firstBlank: null, values: new Set() });

function observe(facts: ColumnFacts[], { cells, place }: SourceRow, count: number, before: number): void {
  for (let index = 0; index < count; index += 1) {
    const known = (facts[index] ??= lateFacts(before));
    const cell = cells[index];
    if (!isGiven(cell)) {
      known.blanks += 1;
      known.firstBlank ??= place;
      continue;
    }
    const kind = kindOf(cell);
    const seen = known.kinds.get(kind);
    if (seen === undefined) known.kinds.set(kind, { count: 1, first: { place, text: textOf(cell) } });
    else seen.count += 1;
    if (known.values !== null) known.values = withValue(known.values, textOf(cell));
  }
}

/** A column that earlier rows of JSON do not have. */
function lateFacts(rowsBefore: number): ColumnFacts {
  const facts = newFacts();
  return rowsBefore === 0 ? facts : { ...facts, blanks: rowsBefore, firstBlank: 1 };
}

const textOf = (cell: string | JsonValue): string => (cell instanceof JsonValue ? cell.json : cell);

function withValue(values: Set<string>, text: string): Set<string> | null {
  const size = values.size;
  values.add(text);
  return values.size === size || values.size > MOST_VALUES ? null : values;
}
