import { fetchTable } from "../facts.js";
import { t } from "../texts.js";
import { postJson, Refused } from "./api.js";
import type { BatchLimits } from "../page-facts.js";
import type { InsertedKeys } from "./inserted-keys.js";

/** What an import has changed. */
export interface Imported {
  readonly databaseUrl: string;
  /** What the server accepts as one batch. */
  readonly batches: BatchLimits;
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
  await requireSameKey(imported);
  const { databaseUrl, table, keys, batches } = imported;
  const operations = keys.deletions(table, batches.characters);
  let count = 0;
  let done = 0;
  for (const part of batchesOf(operations, batches)) {
    const reply = await postJson(`${databaseUrl}/-/batch`, `{"operations": [${part.join(", ")}]}`);
    const { results } = JSON.parse(reply) as { results: { row_count: number }[] };
    for (const { row_count: deleted } of results) count += deleted;
    done += part.length;
    onProgress(done / operations.length);
  }
  return count;
}

/** With another primary key, the keys of the import would be those of other rows. @throws Refused */
async function requireSameKey({ tableUrl, keyColumns }: Imported): Promise<void> {
  const facts = await fetchTable(tableUrl).catch(() => null);
  if (facts === null) throw new Refused([t("script.import.no_facts")]);
  if (facts.keys.join("\0") !== keyColumns.join("\0")) throw new Refused([t("script.import.other_key")]);
}

function batchesOf(operations: readonly string[], { operations: most, characters }: BatchLimits): string[][] {
  const parts: string[][] = [];
  let length = Infinity;
  for (const operation of operations) {
    const last = parts.at(-1);
    const isFull = last === undefined || last.length >= most || length + operation.length > characters;
    if (isFull) parts.push([operation]);
    else last.push(operation);
    length = (isFull ? 0 : length) + operation.length;
  }
  return parts;
}
