import { quoteText } from "rowhouse/plugin-api";
import { bind, type BoundSql } from "../sql/bind.js";
import { DetachableStream } from "./detachable-stream.js";
import { cellNames, SCHEMA_VERSION, withColumns, wrapStatement, type Query, type Reader } from "./query.js";
import { ROW_SEPARATOR, rowText } from "./row-encoding.js";

/** Rows of one batch, each as the text that SQLite built. */
export interface RowBatch {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/**
 * A step of the driver brings one row and costs a trip to another thread. So rows travel in lots: a window
 * function joins each row's text with those that follow it, and only every 64th such text is fetched.
 * SQLite forgets a row once its window has passed: memory stays flat, and one statement is one snapshot.
 */
const LOT = 64;
// A larger row travels alone; its lot holds a placeholder.
const LARGE_ROW_CHARACTERS = 32_768;
const PLACEHOLDER = "\u0003";
const LARGEST_BATCH_CHARACTERS = 1_000_000;

interface Lot {
  readonly lot: string | null;
  readonly large: string | null;
  readonly version: number;
}

/** A batch of a stream; `truncated` on the last one when rows were left out. */
export interface StreamedRows {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly truncated: boolean;
  /** JSON texts are in wire form already. */
  readonly isWireJson?: boolean;
}

/** Rows on their way, and how to make their lock end before they have all been asked for. */
export interface RowStream {
  readonly batches: AsyncGenerator<RowBatch>;
  readonly release: () => Promise<void>;
}

/** Runs a SELECT whose rows come in batches, each read when it is asked for. */
export async function openStream(reader: Reader, question: Query, batchSize: number): Promise<RowStream> {
  const { columns, first, lots } = await withColumns(reader, question, async (names, isCurrent) => {
    const source = new DetachableStream(
      reader.connection.step<Lot>(asLots(question, names), question.limits),
    );
    const lot = await source.next();
    if (lot === undefined || isCurrent(lot.version)) return { columns: names, first: lot, lots: source };
    await source.close();
    return null;
  });
  return { batches: batchesOf(columns, first, lots, batchSize), release: () => lots.detach() };
}

async function* batchesOf(
  columns: readonly string[],
  first: Lot | undefined,
  lots: DetachableStream<Lot>,
  batchSize: number,
): AsyncGenerator<RowBatch> {
  const batch = new Batch(batchSize);
  try {
    let sent = false;
    for (let lot = first; lot !== undefined; lot = await lots.next()) {
      batch.add(lot);
      for (let rows = batch.takeFull(); rows !== null; rows = batch.takeFull()) {
        sent = true;
        yield { columns, rows };
      }
    }
    const rest = batch.takeRest();
    // An empty result still tells its columns.
    if (rest.length > 0 || !sent) yield { columns, rows: rest };
  } finally {
    await lots.close();
  }
}

function asLots(question: Query, columns: readonly string[]): BoundSql {
  const bound = bind(question.statement, question.params);
  return wrapStatement("lots", { bound, question, columns }, (form) => {
    const text = rowText(cellNames(columns), form);
    const isLarge = `length(t)>${LARGE_ROW_CHARACTERS}`;
    const shortened = `case when ${isLarge} then ${quoteText(PLACEHOLDER)} else t end`;
    const lot = `group_concat(${shortened},${quoteText(ROW_SEPARATOR)})`;
    return (
      `select case when n%${LOT}=1 then lot end as lot, case when ${isLarge} then t end as large, ` +
      `${SCHEMA_VERSION} as version from (` +
      `select n, t, ${lot} over (rows between current row and ${LOT - 1} following) as lot from (` +
      `select row_number() over () as n, ${text} as t from "rowhouse:rows")) where n%${LOT}=1 or ${isLarge}`
    );
  });
}

/** Rows read and not yet handed on. */
class Batch {
  #rows: string[] = [];
  #characters = 0;
  /** Where the next large row belongs; -1 when none is missing. */
  #gap = -1;

  constructor(private readonly size: number) {}

  add({ lot, large }: Lot): void {
    if (lot !== null) {
      const searchFrom = this.#rows.length;
      this.#rows.push(...lot.split(ROW_SEPARATOR));
      this.#characters += lot.length;
      this.#gap = this.#rows.indexOf(PLACEHOLDER, searchFrom);
    }
    if (large !== null) this.#fill(large);
  }

  #fill(large: string): void {
    this.#rows[this.#gap] = large;
    this.#characters += large.length;
    this.#gap = this.#rows.indexOf(PLACEHOLDER, this.#gap);
  }

  /** A batch that is worth sending, or null while there is none. */
  takeFull(): readonly string[] | null {
    const complete = this.#gap === -1 ? this.#rows.length : this.#gap;
    const isFull = complete >= this.size || (this.#characters >= LARGEST_BATCH_CHARACTERS && complete > 0);
    return isFull ? this.#take(Math.min(complete, this.size)) : null;
  }

  takeRest(): readonly string[] {
    return this.#take(this.#rows.length);
  }

  #take(count: number): readonly string[] {
    const taken = this.#rows.slice(0, count);
    this.#rows = this.#rows.slice(count);
    if (this.#gap !== -1) this.#gap -= count;
    this.#characters = this.#rows.reduce((sum, row) => sum + row.length, 0);
    return taken;
  }
}
