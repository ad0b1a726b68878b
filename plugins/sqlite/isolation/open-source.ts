import { MAX_LENGTH, openReader, type ConnectionPlan } from "../open/open-connection.js";
import { ColumnCache } from "../read/columns.js";
import type { Reader } from "../read/run-query.js";
import { replay, type SentPlan } from "./messages.js";

// SQLite can't be interrupted while it waits for a lock, and the server kills what can't be interrupted.
const BUSY_TIMEOUT_MS = 20;

/** Opens a database in a process that runs untrusted SQL. */
export async function openSource({ operations, ...plan }: SentPlan): Promise<Reader> {
  const prepare: ConnectionPlan["prepare"] = (prepared) => replay(prepared, operations);
  // A client must not fill the disk. The memory of a process is limited.
  const connection = await openReader({ ...plan, prepare }, "memory");
  connection.busyTimeout(BUSY_TIMEOUT_MS);
  connection.limitLength(MAX_LENGTH.untrusted);
  return {
    connection,
    columns: new ColumnCache(),
    maySplitResult: false,
    maxLengthBytes: MAX_LENGTH.untrusted,
  };
}
