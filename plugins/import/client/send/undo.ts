import { postJson } from "./api.js";
import type { InsertedKeys } from "./inserted-keys.js";

/** Operations of a batch; by default the server takes twice as many. */
const OPERATIONS = 50;

/** What an import has changed. */
export interface Imported {
  readonly databaseUrl: string;
  readonly table: string;
  readonly tableUrl: string;
  /** True if the import created the table. */
  readonly isNewTable: boolean;
  readonly keyColumns: readonly string[];
  readonly keys: InsertedKeys;
}

/** Drops a table that an import has created. @throws Refused, ConnectionLost */
export const dropTable = ({ tableUrl }: Pick<Imported, "tableUrl">): Promise<string> =>
  postJson(`${tableUrl}/-/drop`, '{"confirm": true}');

/**
 * Takes an import back: drops the table that it created, or deletes the rows that it inserted.
 *
 * @returns the number of rows that were deleted; null for a dropped table
 * @throws Refused, ConnectionLost
 */
export async function undo(imported: Imported, onProgress: (share: number) => void): Promise<number | null> {
  if (imported.isNewTable) {
    await dropTable(imported);
    return null;
  }
  const { databaseUrl, table, keyColumns, keys } = imported;
  const operations = keys.deletions(table, keyColumns);
  let count = 0;
  for (let at = 0; at < operations.length; at += OPERATIONS) {
    const part = operations.slice(at, at + OPERATIONS);
    const reply = await postJson(`${databaseUrl}/-/batch`, `{"operations": [${part.join(", ")}]}`);
    const { results } = JSON.parse(reply) as { results: { row_count: number }[] };
    for (const { row_count: deleted } of results) count += deleted;
    onProgress(Math.min(1, (at + part.length) / operations.length));
  }
  return count;
}
