import { messageOf, StartupError, type Database, type Table, type Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { ALL_ROWS } from "./column-kinds.js";
import type { CopyTarget } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { digestOf, type TableDigest } from "./table-digest.js";

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

/** Why a table of the target does not have the rows that were copied; null if it has. */
export async function copyDifference(
  { dialect, transaction }: Pick<CopyTarget, "dialect" | "transaction">,
  copy: TableCopy,
  copied: TableDigest,
): Promise<string | null> {
  const { name } = copy.table;
  const list = copy.columns.map(dialect.quoteIdentifier).join(", ");
  const sql = `select ${list} from ${dialect.quoteIdentifier(name)}`;
  const here = await digestOf(transaction, { ...copy, sql });
  if (here.rows !== copied.rows) return `${name} has ${copied.rows} rows, its copy ${here.rows}`;
  return here.equals(copied) ? null : `The copy of ${name} has other values`;
}

const VIEW_LIMIT = { ...ALL_ROWS, timeLimitMs: 60_000 };

/** Why a view of the target is not like that of the source; null if both return the same rows. */
export async function viewDifference(
  { from, dialect, transaction }: Pick<CopyTarget, "dialect" | "transaction"> & { readonly from: Database },
  { name, columns }: Table,
): Promise<string | null> {
  const types = columns.map(() => "number" as const);
  const read = (database: Pick<Database | Transaction, "stream">, { quoteIdentifier }: Dialect) =>
    digestOf(database, { sql: `select * from ${quoteIdentifier(name)}`, types }, VIEW_LIMIT);
  try {
    const [there, here] = [await read(from, from.dialect), await read(transaction, dialect)];
    if (there.equals(here)) return null;
    return `the view ${name}: it returns other rows than in the source`;
  } catch (error) {
    return `the view ${name}: it can't be compared: ${messageOf(error)}`;
  }
}
