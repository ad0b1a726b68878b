import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { SqlValue, Transaction } from "rowhouse/plugin-api";
import { keyColumns, encodeRows, type Dialect, type EncodedRows } from "rowhouse/plugin-api/engine";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { insertEncoded } from "../insert/insert-rows.js";
import { decodeRows, withExactTexts, type StoredIn } from "../json/cell-values.js";
import { writableJson } from "../json/writable-json.js";
import { withoutType } from "../target/redact-error.js";
import { upsertEncoded } from "../upsert/upsert-rows.js";
import { RowProblems } from "./row-problems.js";
import type { StagedRows, StagedRun } from "./staged-rows.js";
import type { StreamOptions } from "./stream-request.js";

interface LoadOptions {
  readonly dialect: Dialect;
  readonly transaction: Transaction;
  readonly source: ReadableTable;
  readonly options: StreamOptions;
  /** Messages do not tell which values a column takes. */
  readonly hidesTypes?: boolean;
}

/** The rows that were written. */
export interface Loaded {
  readonly count: number;
  /** Their keys as JSON, those of several rows in one text, if the request wants them; else empty. */
  readonly keys: readonly string[];
}

/**
 * Writes all staged rows.
 *
 * @throws WriteRejected naming the rows that could not be written, or SqlFailed if no single row fails
 */
export async function loadRows(loading: LoadOptions, staged: Pick<StagedRows, "rows">): Promise<Loaded> {
  const problems = new RowProblems();
  const keys: string[] = [];
  let count = 0;
  for await (const rows of staged.rows()) {
    try {
      const written = await write(loading, rows);
      count += written.count;
      keys.push(...written.keys);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      await findFailingRows(loading, rows, problems);
      // Each row can be written on its own: the error is about the rows together.
      if (problems.count === 0) throw error;
      if (problems.isFull) break;
    }
  }
  problems.throwIfAny();
  return { count, keys };
}

async function write(
  { dialect, transaction, source, options }: LoadOptions,
  staged: EncodedRows & Pick<StagedRun, "misread">,
): Promise<Loaded> {
  const rows = exactRows(staged, { dialect, table: source.table });
  if (options.upsert) {
    await upsertEncoded(transaction, { dialect, source }, rows);
    return { count: rows.count, keys: [] };
  }
  const returning = options.returnsKeys ? keyColumns(source.table) : [];
  const insertion = { dialect, table: source.table, conflict: options.conflict, returning };
  const { count, stored } = await insertEncoded(transaction, insertion, rows);
  return { count, keys: returning.length > 0 && count > 0 ? [stored.map(keyJson).join(", ")] : [] };
}

/** A key as the member `keys` of a write takes it. */
function keyJson(key: readonly SqlValue[]): string {
  const [value = "", ...more] = key.map((part) => writableJson(part).text);
  return more.length === 0 ? value : `[${[value, ...more].join(", ")}]`;
}

/**
 * A text in JSON that may spell a number with many digits or with an exponent, perhaps after control characters. Of these
 * only a hundred are read, without going back: the pattern would fail for millions.
 */
const LONG_NUMBER =
  /"(?=((?:\s|\\[tnfr]|\\u000b){0,100}))\1(?:\s|\\[tnfr]|\\u000b|[-+]?(?:\d{0,14}\.\d{6}|[\d.]{15}|[\d.]{1,14}e))/i;

/** {@link withExactTexts}: only now are the types of new columns known. Most rows need not be decoded for it. */
function exactRows(rows: EncodedRows & Pick<StagedRun, "misread">, storedIn: StoredIn): EncodedRows {
  const isInText = (name: string): boolean =>
    storedIn.table.columns.some((column) => column.name === name && column.affinity === "text");
  return LONG_NUMBER.test(rows.json) || rows.misread.some(isInText)
    ? encodeRows(withExactTexts(decodeRows(rows), storedIn), storedIn.dialect.definitions.numbers)
    : rows;
}

/** Writes the rows again one by one to find those that fail. The transaction is rolled back afterwards. */
async function findFailingRows(
  loading: LoadOptions,
  staged: StagedRun,
  problems: RowProblems,
): Promise<void> {
  const { columns, rows } = decodeRows(staged);
  let last: unknown = null;
  for (const [index, row] of rows.entries()) {
    if (problems.isFull) return;
    try {
      const encoded = encodeRows({ columns, rows: [row] }, loading.dialect.definitions.numbers);
      await write(loading, { ...encoded, misread: staged.misread });
    } catch (error) {
      // The same error object again means that SQLite has rolled back the whole transaction: stop here.
      if (!isAboutRow(error) || error === last) throw error;
      last = error;
      const place = problems.labelOf(staged.first + index, staged.lines[index] ?? null);
      problems.add([`${place}: ${loading.hidesTypes === true ? withoutType(error) : error.message}`]);
    }
  }
}

const isAboutRow = (error: unknown): error is SqlFailed =>
  error instanceof SqlFailed && ["constraint", "value", "other"].includes(error.kind);
