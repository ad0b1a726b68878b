import { quoteIdentifier, type MetadataBlock, type Transaction } from "rowhouse/plugin-api";

/** A database of the demonstration: its tables and its metadata. */
export interface DemoDatabase {
  readonly name: string;
  readonly metadata: MetadataBlock;
  build(transaction: Transaction): Promise<void>;
}

/** A row to insert. Lists become JSON text. */
export type NewRow = Readonly<Record<string, string | number | null | undefined | readonly unknown[]>>;

const ROWS_A_STATEMENT = 5000;

/** Runs statements in sequence. */
export async function runAll(transaction: Transaction, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await transaction.run(sql);
}

/** Inserts rows that all have the columns of the first one. */
export async function insertRows(
  transaction: Transaction,
  table: string,
  rows: readonly NewRow[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const names = columns.map(quoteIdentifier).join(", ");
  const values = columns.map((_, index) => `value ->> ${index}`).join(", ");
  // Thousands of rows are one parameter. The types of the columns convert numbers and text.
  const sql = `insert into ${quoteIdentifier(table)} (${names}) select ${values} from json_each(:rows)`;
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    const batch = rows.slice(start, start + ROWS_A_STATEMENT);
    const cells = batch.map((row) => columns.map((column) => row[column] ?? null));
    await transaction.run(sql, { rows: JSON.stringify(cells) });
  }
}

/**
 * Creates a table `(id, name)` with the distinct names.
 *
 * @returns a function that returns the id of a name, or null
 */
export async function lookupTable(
  transaction: Transaction,
  table: string,
  names: readonly unknown[],
): Promise<(name: unknown) => number | null> {
  const distinct = [...new Set(names.filter((name) => typeof name === "string" && name !== ""))].toSorted();
  const ids = new Map<unknown, number>(distinct.map((name, index) => [name, index + 1]));
  await transaction.run(
    `create table ${quoteIdentifier(table)} (id integer primary key, name text not null unique)`,
  );
  await insertRows(
    transaction,
    table,
    distinct.map((name, index) => ({ id: index + 1, name: String(name) })),
  );
  return (name) => ids.get(name) ?? null;
}

/** Adds a full-text index over columns of a table with an integer key. Triggers keep it up to date. */
export async function addFullText(
  transaction: Transaction,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const index = quoteIdentifier(`${table}_fts`);
  const base = quoteIdentifier(table);
  const names = columns.map(quoteIdentifier).join(", ");
  const valuesOf = (row: "new" | "old") =>
    columns.map((column) => `${row}.${quoteIdentifier(column)}`).join(", ");
  const add = `insert into ${index} (rowid, ${names}) values (new.rowid, ${valuesOf("new")});`;
  const drop = `insert into ${index} (${index}, rowid, ${names}) values ('delete', old.rowid, ${valuesOf("old")});`;
  const trigger = (event: string, body: string) =>
    `create trigger ${quoteIdentifier(`${table}_fts_${event}`)} after ${event} on ${base} begin ${body} end`;
  await runAll(transaction, [
    `create virtual table ${index} using fts5 (${names}, content=${base}, tokenize='porter unicode61')`,
    `insert into ${index} (${index}) values ('rebuild')`,
    trigger("insert", add),
    trigger("delete", drop),
    trigger("update", `${drop} ${add}`),
  ]);
}

/** A day such as `Jun 12 1998` as `1998-06-12`; null for other texts. */
export function isoDate(written: string | number | null | undefined): string | null {
  if (typeof written !== "string") return null;
  const time = Date.parse(`${written} UTC`);
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

/** A number in a text; null for other texts. */
export function number(written: string | number | null | undefined): number | null {
  if (written === null || written === undefined || written === "") return null;
  const value = Number(written);
  return Number.isNaN(value) ? null : value;
}
