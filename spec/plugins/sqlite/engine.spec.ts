import { describeEngine } from "../../harness/engine/index.js";
import { freshPath, openSqlite, sqliteFile } from "./open-sqlite.js";

describeEngine("A SQLite file", async () => openSqlite(`file:${await freshPath()}`, { create: true }));

describeEngine("A SQLite file in WAL mode", async () => {
  const { database } = await sqliteFile("pragma journal_mode = wal");
  return database;
});

describeEngine("A SQLite database in memory", () => openSqlite("memory:"));
