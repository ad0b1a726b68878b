import type { Database, SqlValue } from "rowhouse/plugin-api";
import type { OpenEngine } from "./open-engine.js";

/** A fresh database with two books in it. */
export async function withBooks(open: OpenEngine): Promise<Database> {
  const database = await open();
  await database.write(async (transaction) => {
    await transaction.run("create table books (id integer primary key, title text)");
    await transaction.run("insert into books values (1, 'Emma'), (2, 'Persuasion')");
  });
  return database;
}

/** What is stored of the books, in the order of their keys. */
export const titles = async (database: Database): Promise<readonly SqlValue[]> =>
  (await database.read("select title from books order by id")).rows.map(([title]) => title ?? null);
