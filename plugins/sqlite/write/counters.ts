import type { Connection } from "../open/connection.js";

/** Counters of SQLite for one connection. */
export interface Counters {
  /** Rows changed by the last statement, without changes of its triggers. */
  readonly changes: number;
  /** Rows changed since the connection was opened. */
  readonly total: number;
  readonly lastInsertRowid: number | bigint;
}

/** The counters of a connection. */
export async function countersOf(connection: Connection): Promise<Counters> {
  const [row] = await connection.all<{ changes: number; total: number; id: string }>({
    sql: "select changes() as changes, total_changes() as total, cast(last_insert_rowid() as text) as id",
  });
  const { changes, total, id } = row ?? { changes: 0, total: 0, id: "0" };
  const lastInsertRowid = Number.isSafeInteger(Number(id)) ? Number(id) : BigInt(id);
  return { changes, total, lastInsertRowid };
}
