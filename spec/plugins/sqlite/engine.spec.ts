import type { Database } from "rowhouse/plugin-api";
import { describeEngine } from "../../harness/engine/index.js";
import { freshPath, openSqlite, sqliteFile } from "./open-sqlite.js";

describeEngine("A SQLite file", async () => openSqlite(`file:${await freshPath()}`, { create: true }));

describeEngine("A SQLite file in WAL mode", async () => {
  const { database } = await sqliteFile("pragma journal_mode = wal");
  return database;
});

describeEngine("A SQLite database in memory", () => openSqlite("memory:"));

for (const isolation of ["process", "thread"]) {
  const settings = { sql_isolation: isolation };
  describeEngine(`A SQLite file read as untrusted in a ${isolation}`, async () =>
    untrusted(await openSqlite(`file:${await freshPath()}`, { create: true, settings })),
  );
  describeEngine(`A SQLite database in memory read as untrusted in a ${isolation}`, async () =>
    untrusted(await openSqlite("memory:", { settings })),
  );
}

const READS: ReadonlySet<string | symbol> = new Set(["read", "readJson", "stream", "streamJson"]);

/** The same database, every statement of which is taken for a caller's. */
function untrusted(database: Database): Database {
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (!READS.has(name)) return member.bind(target);
      return (sql: string, params?: unknown, options: object = {}) =>
        member.call(target, sql, params, { ...options, trust: "untrusted" });
    },
  });
}
