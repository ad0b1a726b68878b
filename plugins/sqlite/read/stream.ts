import { quoteText } from "rowhouse/plugin-api/sql";
import { bind, type BoundSql } from "../sql/statement.js";
import { DetachableStream, rowsAsLines } from "./detachable-stream.js";
import { canReadParts, readParts } from "./keyset.js";
import { ROW_SEPARATOR, rowText } from "./row-text.js";
import type { Query } from "./query.js";
import { NO_VERSION, SCHEMA_VERSION, withColumns, wrapStatement, type Reader } from "./run-query.js";

/** Rows of one batch, each as the text that SQLite built. */
export interface RowBatch {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/**
 * Rows in one text. Each step of the driver returns one row and needs a round trip to another thread. So a window
 * function joins the text of each row with those of the next 63 rows, and only every 64th text is read. SQLite frees a
 * row after its window, so the memory does not grow, and one statement reads one snapshot.
 */
const ROWS_PER_TEXT = 64;
// A larger row has a text of its own. The joined text contains a placeholder for it.
const LARGE_ROW_CHARACTERS = 32_768;
const PLACEHOLDER = "\u0003";
const MAX_BATCH_CHARACTERS = 1_000_000;

interface JoinedRows {
  readonly joined: string | null;
  readonly large?: string | null;
  /** Only if the columns of the statement come from the cache. */
  readonly version?: number;
}

/** A batch of a stream. `truncated` is true for the last one if rows were left out. */
export interface StreamedRows {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly truncated: boolean;
  /** True if the rows are complete JSON for clients. */
  readonly isWireJson?: boolean;
}

/** A running read. */
export interface RowStream {
  readonly batches: AsyncGenerator<RowBatch>;
  /** Ends its read lock: reads the remaining rows into a temporary file. */
  readonly release: () => Promise<void>;
}

/** Runs a SELECT. Each batch of rows is read when the iterator requests it, or while the one before is used. */
export async function openStream(reader: Reader, query: Query, batchSize: number): Promise<RowStream> {
  const { columns, first, source } = await withColumns(reader, query, async (names, isCurrent) => {
    const source = new DetachableStream(await openRows(reader, query, names), rowsAsLines<JoinedRows>());
    const rows = await source.next();
    if (rows === undefined || isCurrent(rows.version ?? NO_VERSION))
      return { columns: names, first: rows, source };
    await source.close();
    return null;
  });
  const batches = readAhead(batchesOf(columns, first, source, batchSize));
  return { batches, release: () => source.detach() };
}

async function openRows(
  reader: Reader,
  query: Query,
  columns: readonly string[],
): Promise<AsyncGenerator<JoinedRows>> {
  const { keyset } = query;
  if (keyset !== undefined) {
    const inParts = { ...query, keyset, columns };
    if (await canReadParts(reader.connection, inParts)) return readParts(reader, inParts);
  }
  return reader.connection.step<JoinedRows>(joinedRowsSql(query, columns), query.limits);
}

/**
 * Reads one batch ahead, so that SQLite computes it while the client takes the one before. Leaving the loop waits for the
 * batch that is being read.
 */
export async function* readAhead<Batch>(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    let next = batches.next();
    for (let step = await next; step.done !== true; step = await next) {
      next = batches.next();
      // It is awaited after the client has taken this batch, which may be never.
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await batches.return(undefined);
  }
}

async function* batchesOf(
  columns: readonly string[],
  first: JoinedRows | undefined,
  source: DetachableStream<JoinedRows>,
  batchSize: number,
): AsyncGenerator<RowBatch> {
  const batch = new Batch(batchSize);
  try {
    let sent = false;
    for (let joined = first; joined !== undefined; joined = await source.next()) {
      batch.add(joined);
      for (let rows = batch.takeFull(); rows !== null; rows = batch.takeFull()) {
        sent = true;
        yield { columns, rows };
      }
    }
    const rest = batch.takeRest();
    // An empty result has a batch too, for its columns.
    if (rest.length > 0 || !sent) yield { columns, rows: rest };
  } finally {
    await source.close();
  }
}

function joinedRowsSql(query: Query, columns: readonly string[]): BoundSql {
  const bound = bind(query.statement, query.params);
  return wrapStatement("joined rows", { bound, query, columns }, () => {
    const text = rowText(columns, query.format);
    const isLarge = `length(t)>${LARGE_ROW_CHARACTERS}`;
    const shortened = `case when ${isLarge} then ${quoteText(PLACEHOLDER)} else t end`;
    const joined = `group_concat(${shortened},${quoteText(ROW_SEPARATOR)})`;
    return (
      `select case when n%${ROWS_PER_TEXT}=1 then joined end as joined, case when ${isLarge} then t end as large, ` +
      `${SCHEMA_VERSION} as version from (` +
      `select n, t, ${joined} over (rows between current row and ${ROWS_PER_TEXT - 1} following) as joined from (` +
      `select row_number() over () as n, ${text} as t from "rowhouse:rows")) where n%${ROWS_PER_TEXT}=1 or ${isLarge}`
    );
  });
}

/** Rows that were read and not yet returned. */
class Batch {
  #rows: string[] = [];
  #characters = 0;
  /** The position of the next large row; -1 if none is missing. */
  #gap = -1;

  constructor(private readonly size: number) {}

  add({ joined, large = null }: JoinedRows): void {
    if (joined !== null) {
      const searchFrom = this.#rows.length;
      this.#rows.push(...joined.split(ROW_SEPARATOR));
      this.#characters += joined.length;
      this.#gap = this.#rows.indexOf(PLACEHOLDER, searchFrom);
    }
    if (large !== null) this.#fill(large);
  }

  #fill(large: string): void {
    this.#rows[this.#gap] = large;
    this.#characters += large.length;
    this.#gap = this.#rows.indexOf(PLACEHOLDER, this.#gap);
  }

  /** A batch of full size, or null. */
  takeFull(): readonly string[] | null {
    const complete = this.#gap === -1 ? this.#rows.length : this.#gap;
    const isFull = complete >= this.size || (this.#characters >= MAX_BATCH_CHARACTERS && complete > 0);
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
