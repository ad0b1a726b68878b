import { messageOf, StartupError, type Database, type Table } from "rowhouse/plugin-api";
import { ALL_ROWS } from "./column-kinds.js";
import type { Sides } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { digestOf, type TableDigest } from "./table-digest.js";

type Compared = Pick<Sides, "from" | "to">;

/**
 * Compares the source with the rows that were copied. If each table is as it was when it was copied, after all tables
 * were copied, the copy has the state of one moment.
 *
 * @throws StartupError if the source has changed
 */
export async function requireUnchanged(
  from: Database,
  copies: readonly TableCopy[],
  digests: ReadonlyMap<string, TableDigest>,
): Promise<void> {
  for (const copy of copies) {
    const { name } = copy.table;
    if (digests.get(name)?.equals(await digestOf(from, copy)) === true) continue;
    throw new StartupError(
      `${name} was changed while it was copied, and nothing is copied. Stop the programs that write to the source, or copy a backup of it`,
    );
  }
}

/** @throws StartupError unless the target has the rows that were copied */
export async function compareCopy(to: Database, copy: TableCopy, copied: TableDigest): Promise<void> {
  const { name } = copy.table;
  const list = copy.columns.map(to.dialect.quoteIdentifier).join(", ");
  const here = await digestOf(to, {
    ...copy,
    sql: `select ${list} from ${to.dialect.quoteIdentifier(name)}`,
  });
  if (here.rows !== copied.rows)
    throw new StartupError(`${name} has ${copied.rows} rows, its copy ${here.rows}`);
  if (!here.equals(copied)) throw new StartupError(`The copy of ${name} has other values`);
}

const VIEW_LIMIT = { ...ALL_ROWS, timeLimitMs: 60_000 };

/** Why a view of the target is not like that of the source; null if both return the same rows. */
export async function viewDifference(
  { from, to }: Compared,
  { name, columns }: Table,
): Promise<string | null> {
  const types = columns.map(() => "number" as const);
  const read = (database: Database) =>
    digestOf(database, { sql: `select * from ${database.dialect.quoteIdentifier(name)}`, types }, VIEW_LIMIT);
  try {
    const [there, here] = [await read(from), await read(to)];
    if (there.equals(here)) return null;
    return `the view ${name}: it returns other rows than in the source`;
  } catch (error) {
    return `the view ${name}: it can't be compared: ${messageOf(error)}`;
  }
}
