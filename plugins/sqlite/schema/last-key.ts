import type { Table } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { Connection } from "../open/connection.js";
import { isAutoincrement } from "../sql/definitions.js";

/**
 * SQLite also reports a full disk if an AUTOINCREMENT table has no key left, which freeing space does not help. The error
 * that says so; null if the table has keys left.
 */
export async function keyExhaustion(
  connection: Connection,
  table: Table | undefined,
  cause: Error,
): Promise<SqlFailed | null> {
  if (table === undefined || !isAutoincrement(table)) return null;
  const [row] = await connection.all({
    sql: "select 1 from sqlite_sequence where name = ?1 and seq = 9223372036854775807",
    values: [table.name],
  });
  if (row === undefined) return null;
  return new SqlFailed(`${table.name} has given out its last key, 9223372036854775807`, "constraint", {
    cause,
  });
}
