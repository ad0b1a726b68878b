import type { Keyset } from "rowhouse/plugin-api/engine";
import type { Connection } from "../open/connection.js";
import type { DriverError } from "../open/errors.js";
import { bind, singleStatement, type BoundSql } from "../sql/statement.js";
import type { Query } from "./query.js";
import { cellNames, rowsText } from "./row-text.js";
import { wrapStatement, type BoundQuery, type Reader } from "./run-query.js";

/** A query whose rows can be read in parts. */
export interface KeysetQuery extends Query {
  readonly keyset: Keyset;
  readonly columns: readonly string[];
}

/** Some rows in one text. */
interface Part {
  /** Null without rows. */
  readonly joined: string | null;
  /** The key of the last row, as text: the driver rounds large integers. */
  readonly last: string | null;
  readonly rows: number;
}

const FIRST_ROWS = 64;
/** A power of two, like all numbers of rows, so that few statements are compiled. */
const MOST_ROWS = 1024;
/** Characters of a text. The driver makes a string of it on the event loop. */
const PART_CHARACTERS = 200_000;
/** SQLite fails instead of building a longer text. */
const LONGEST_TEXT_BYTES = 8_000_000;

/**
 * True if SQLite reads each part from where the last one ended: it searches for the key, which is the `rowid`, and does not
 * sort. Otherwise each part would read the rows before it again.
 */
export async function canReadParts(
  connection: Connection,
  { keyset, limits }: KeysetQuery,
): Promise<boolean> {
  const { sql, params } = keyset.after("0");
  const explained = bind(singleStatement(`explain query plan ${sql}`), params);
  const steps = await connection.once<{ readonly detail: string }>(explained, limits);
  const sorts = steps.some(({ detail }) => detail.includes("TEMP B-TREE"));
  return !sorts && steps.some(({ detail }) => detail.endsWith("rowid>?)"));
}

/**
 * Reads the rows in parts, each with a statement of its own, in one transaction and therefore from one snapshot. This takes
 * half of the processor time of a window function over all rows.
 */
export async function* readParts(reader: Reader, query: KeysetQuery): AsyncGenerator<Part> {
  const { connection, maxLengthBytes } = reader;
  const { keyset, columns } = query;
  await connection.exec("begin");
  try {
    let size = FIRST_ROWS;
    for (let rest: BoundSql | null = bind(query.statement, query.params); rest !== null;) {
      // A statement reads one row more than its limit.
      const statement = { bound: rest, query: { ...query, maxRows: size - 1 }, columns };
      const part: Part | null = await readPart(reader, statement, { key: keyset.column, size });
      if (part === null) {
        size = 1;
        continue;
      }
      yield part;
      rest = part.rows < size ? null : restAfter(part, keyset);
      size = sizeAfter(part);
    }
  } finally {
    connection.limitLength(maxLengthBytes);
    // After some errors SQLite has already ended the transaction.
    await connection.exec("commit").catch(() => undefined);
  }
}

function restAfter({ last }: Part, keyset: Keyset): BoundSql | null {
  if (last === null) return null;
  const { sql, params } = keyset.after(last);
  return bind(singleStatement(sql), params);
}

/** @returns null if the rows together are too long */
async function readPart(
  { connection, maxLengthBytes }: Reader,
  query: BoundQuery,
  { key, size }: { readonly key: number; readonly size: number },
): Promise<Part | null> {
  connection.limitLength(size === 1 ? maxLengthBytes : Math.min(LONGEST_TEXT_BYTES, maxLengthBytes));
  try {
    const [part = NO_ROWS] = await connection.all<Part>(partSql(query, key), query.query.limits);
    return part;
  } catch (error) {
    if (size === 1 || (error as DriverError).code !== "SQLITE_TOOBIG") throw error;
    return null;
  }
}

const NO_ROWS: Part = { joined: null, last: null, rows: 0 };

/** @param key the position of the key among the columns */
const partSql = (query: BoundQuery, key: number): BoundSql =>
  wrapStatement(
    `part ${key}`,
    query,
    () =>
      `select ${rowsText(query.columns, query.query.format)} as joined, ` +
      `cast(max(${cellNames(query.columns)[key]}) as text) as last, count(*) as "rows" from "rowhouse:rows"`,
  );

/**
 * The number of rows that have about `PART_CHARACTERS` together if they are like those of the last part. It grows slowly:
 * after a part that was too long, the next rows may be as long.
 */
function sizeAfter({ joined, rows }: Part): number {
  const wanted = (PART_CHARACTERS * rows) / Math.max(1, joined?.length ?? 0);
  return 2 ** Math.floor(Math.log2(Math.max(1, Math.min(wanted, 2 * rows, MOST_ROWS))));
}
