import type { Connection } from "../open/connection.js";

// What a large transaction has left is cut down to this.
const KEPT_BYTES = 1_048_576;

/**
 * From now on the rollback journal of a writer stays between its transactions, with nothing in it: to make and to
 * delete the file with each of them takes the disk longer than what is written there. Changes nothing where there
 * is a write-ahead log.
 */
export async function persistJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) !== "delete") return;
  await connection.exec(`pragma journal_mode = persist; pragma journal_size_limit = ${KEPT_BYTES}`);
}

/** Deletes a journal that was kept, as every program leaves a file that it has written to. */
export async function deleteJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) === "persist") await connection.exec("pragma journal_mode = delete");
}

/** `delete`, `persist`, `wal`, ... */
export async function journalMode(connection: Connection): Promise<string> {
  const sql = "pragma journal_mode";
  const [row] = await connection.all<{ journal_mode: string }>({ sql, values: [] });
  return row?.journal_mode ?? "";
}
