import type { TableFacts } from "../page-facts.js";
import type { NewColumn } from "../steps/columns.js";
import type { NewTable } from "../steps/target.js";
import { postJson } from "./api.js";

/** The table that rows go to. */
export interface ReadyTable {
  readonly name: string;
  readonly url: string;
  readonly keys: readonly string[];
}

/** Creates the table. @throws Refused, ConnectionLost */
export async function createTable(
  databaseUrl: string,
  { name, key }: NewTable,
  columns: readonly NewColumn[],
): Promise<ReadyTable> {
  const reply = await postJson(
    `${databaseUrl}/-/create`,
    JSON.stringify({ table: name, columns, ...(key !== null && { pk: key }) }),
  );
  const { table_url: url } = JSON.parse(reply) as { table_url: string };
  return { name, url: new URL(url).pathname, keys: [key ?? "rowid"] };
}

/** Adds columns to a table. @throws Refused, ConnectionLost */
export async function addColumns({ url }: TableFacts, columns: readonly NewColumn[]): Promise<void> {
  const operations = columns.map(({ name, type }) => ({ op: "add_column", args: { name, type } }));
  if (operations.length > 0) await postJson(`${url}/-/alter`, JSON.stringify({ operations }));
}
