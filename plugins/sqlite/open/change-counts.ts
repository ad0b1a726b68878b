import type { Connection } from "./connection.js";

/** What SQLite counts of the changes of one connection. */
interface ChangeCounts {
  /** Rows changed by the last statement, without changes of its triggers. */
  readonly changes: number;
  /** Rows changed since the connection was opened. */
  readonly total: number;
  readonly lastInsertRowid: number | bigint;
}

export async function changeCountsOf(connection: Connection): Promise<ChangeCounts> {
  const [row] = await connection.all<{ changes: number; total: number; id: string }>({
    sql: "select changes() as changes, total_changes() as total, cast(last_insert_rowid() as text) as id",
  });
  const { changes, total, id } = row ?? { changes: 0, total: 0, id: "0" };
  const lastInsertRowid = Number.isSafeInteger(Number(id)) ? Number(id) : BigInt(id);
  return { changes, total, lastInsertRowid };
}
