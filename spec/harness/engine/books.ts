import type { Database, SqlValue } from "rowhouse/plugin-api";
import type { OpenEngine } from "./open-engine.js";

/** A new database with two books. */
export async function withBooks(open: OpenEngine): Promise<Database> {
  const database = await open();
  await database.write(async (transaction) => {
    const { declaredTypes, assignedKey } = database.dialect.definitions;
    const key = `id ${declaredTypes.integer}${assignedKey} primary key`;
    await transaction.run(`create table books (${key}, title ${declaredTypes.text})`);
    await transaction.run("insert into books (title) values ('Emma'), ('Persuasion')");
  });
  return database;
}

/** The titles of the stored books, in the order of their keys. */
export const titles = async (database: Database): Promise<readonly SqlValue[]> =>
  (await database.read("select title from books order by id")).rows.map(([title]) => title ?? null);

/** An INSERT of books from a JSON list of rows, which is its only parameter. */
export async function insertOfList(
  database: Database,
  columns: readonly string[],
  returning: readonly string[] = [],
): Promise<string> {
  const { dialect } = database;
  const table = (await database.schema()).tables.get("books");
  if (table === undefined) throw new Error("There is no table books");
  const kinds = columns.map(() => "v").join("");
  const select = dialect.packedRows({ table, columns, kinds, parameter: "?" });
  return dialect.insertRows({ table, columns, select, conflict: "fail", returning });
}
