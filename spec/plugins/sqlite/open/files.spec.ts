import { chmod, copyFile, mkdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { dirname } from "node:path";
import { expect } from "chai";
import type { Transaction } from "rowhouse/plugin-api";
import type { ReadOptions } from "rowhouse/plugin-api/engine";
import { failure } from "../../../harness/failures.js";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { buildDatabase, openRaw } from "../../../harness/raw-sqlite.js";
import { freshPath, openSqlite, sqliteFile } from "../open-sqlite.js";

const SCRIPT = "create table t (a); insert into t values ('first')";
// The file is looked at no more often than every 200 ms.
const until = (): Promise<void> => sleep(250);

describe("opening a file", () => {
  it("says how to write a location without a scheme", async () => {
    expect((await failure(openSqlite("/srv/a.db"))).message).to.equal(
      "/srv/a.db has no scheme: write file:, followed by the absolute path of a file",
    );
  });

  it("creates a missing one with a valid header, if requested", async () => {
    const path = await freshPath("new.db");

    await openSqlite(`file:${path}`, { create: true });

    expect((await stat(path)).size).to.equal(4096);
    expect((await readFile(path)).subarray(0, 15).toString()).to.equal("SQLite format 3");
  });

  it("does not change an existing one, also if its creation is requested", async () => {
    const path = await freshPath();
    await buildDatabase(path, SCRIPT);

    const database = await openSqlite(`file:${path}`, { create: true });

    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
  });

  const unusable: readonly (readonly [
    what: string,
    make: (path: string) => Promise<unknown>,
    message: RegExp,
  ])[] = [
    ["missing", async () => undefined, /^Could not read shown\.db: no such file$/],
    ["a folder", (path) => mkdir(path), /^Could not read shown\.db: not a file$/],
    ["text", (path) => writeFile(path, "a,b\n1,2\n".repeat(100)), /^shown\.db is not a database$/],
    [
      "encrypted",
      (path) => writeFile(path, Buffer.from(createHash("sha512").update("x").digest("hex").repeat(64))),
      /^shown\.db is not a database$/,
    ],
    [
      "a file with a malformed schema",
      (path) =>
        buildDatabase(
          path,
          `${SCRIPT}; pragma writable_schema = 1; update sqlite_schema set sql = 'create table t (('`,
        ),
      /^Connection to shown\.db failed check: malformed database schema \(t\)/,
    ],
    [
      "a file that needs a missing module",
      (path) =>
        buildDatabase(
          path,
          `${SCRIPT}; pragma writable_schema = 1; insert into sqlite_schema values ('table', 'v', 'v', 0, 'create virtual table v using nosuch(a)')`,
        ),
      /^Connection to shown\.db failed check: no such module: nosuch\. If an extension provides it/,
    ],
  ];
  for (const [what, make, message] of unusable) {
    it(`has an error of one line for one that is ${what}`, async () => {
      const path = await freshPath();
      await make(path);

      const error = await failure(openSqlite(`file:${path}`, { shownPath: "shown.db" }));

      expect(error.name).to.equal("StartupError");
      expect(error.message).to.match(message).and.not.include("\n");
    });
  }

  it("serves one of no bytes as an empty database", async () => {
    const path = await freshPath();
    await writeFile(path, "");

    const database = await openSqlite(`file:${path}`);

    expect((await database.schema()).tables.size).to.equal(0);
    await database.write((transaction) => transaction.run("create table t (a)"));
    expect((await database.schema()).tables.size).to.equal(1);
  });

  it("does not wait for one that another process has locked", async () => {
    const path = await freshPath();
    await buildDatabase(path, SCRIPT);
    const raw = await openRaw(path);
    closeWhenDone(raw);
    await raw.run("begin exclusive");

    const database = await openSqlite(`file:${path}`);
    const error = await failure(database.read("select a from t"));
    await raw.run("commit");

    expect(error).to.include({ name: "DatabaseUnavailable", message: "database is locked" });
    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
  });

  it("takes names with every odd character", async () => {
    const path = await freshPath("a b#c?d%41é&mode=memory.db");
    await buildDatabase(path, SCRIPT);

    const database = await openSqlite(`file:${path}`);

    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
    expect((await database.describe()).path).to.equal(path);
  });
});

describe("a file that is open", () => {
  it("is read when the lock of another program ends, which no time limit of a statement includes", async () => {
    const { database, path } = await sqliteFile(SCRIPT);
    const raw = await openRaw(path);
    closeWhenDone(raw);
    const streamed = async (sql: string, options: ReadOptions): Promise<unknown> => {
      const rows: unknown[] = [];
      for await (const batch of database.stream(sql, {}, options)) rows.push(...batch.rows);
      return rows;
    };
    const readBoth = (sql: string, trust: "trusted" | "untrusted"): Promise<unknown>[] => {
      const options = { trust, timeLimitMs: 300 };
      return [database.read(sql, {}, options).then(({ rows }) => rows), streamed(sql, options)];
    };
    // Starts the processes.
    await Promise.all(readBoth("select 1", "untrusted"));
    await raw.run("begin exclusive");

    const sql = "select a from t";
    const reading = Promise.all([...readBoth(sql, "trusted"), ...readBoth(sql, "untrusted")]);
    await Promise.race([reading, sleep(700)]);
    await raw.run("commit");

    expect(await reading).to.deep.equal([[["first"]], [["first"]], [["first"]], [["first"]]]);
  });

  it("and is replaced is opened again for reads and writes", async () => {
    const { database, path } = await sqliteFile(SCRIPT);
    const version = await database.version();
    await database.schema();
    await buildDatabase(`${path}.new`, "create table u (b); insert into u values ('second')");

    await rename(`${path}.new`, path);
    await until();

    expect(await database.version()).not.to.deep.equal(version);
    expect([...(await database.schema()).tables.keys()]).to.deep.equal(["u"]);
    await database.write((transaction) => transaction.run("insert into u values ('third')"));
    expect((await database.read("select b from u")).rows).to.deep.equal([["second"], ["third"]]);
  });

  it("and gets deleted is unavailable until it is back", async () => {
    const { database, path } = await sqliteFile(SCRIPT);
    await rename(path, `${path}.away`);
    await until();

    const reading = await failure(database.read("select a from t"));
    const writing = await failure(database.write((transaction) => transaction.run("delete from t")));
    const health = await database.health();

    expect(reading).to.include({ name: "DatabaseUnavailable", message: "The database file is missing." });
    expect(writing.name).to.equal("DatabaseUnavailable");
    expect(health.state).to.equal("unavailable");

    await rename(`${path}.away`, path);
    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
    expect((await database.health()).state).to.equal("ready");
  });

  for (const mode of ["delete", "wal"]) {
    it(`takes lists into the file that has its name now, or not at all (${mode})`, async () => {
      const { database, path } = await sqliteFile(`pragma journal_mode = ${mode}; ${SCRIPT}`);
      const sql = "insert into t select value from json_each(?)";
      const store = (text: string): Promise<void> => {
        const items = [JSON.stringify(text)];
        const work = async (transaction: Transaction): Promise<void> =>
          void (await transaction.run(sql, [`[${items.join()}]`]));
        return database.write(work, { bulk: { sql, items, result: () => undefined } });
      };
      await store("second");
      await database.read("select 1");
      await buildDatabase(`${path}.new`, SCRIPT);

      await rename(path, `${path}.old`);
      // A log that is left behind would be taken for that of the new file.
      for (const end of ["-wal", "-shm"]) await rm(path + end, { force: true });
      const missing = await failure(store("lost"));
      await rename(`${path}.new`, path);
      await store("third");
      await until();

      expect(missing).to.include({ name: "DatabaseUnavailable", message: "The database file is missing." });
      expect((await database.read("select a from t")).rows).to.deep.equal([["first"], ["third"]]);
    });
  }

  it("and becomes a folder, or garbage, fails clearly", async () => {
    const { database, path } = await sqliteFile(SCRIPT);
    await rm(path);
    await mkdir(path);
    await until();

    expect((await failure(database.read("select a from t"))).name).to.equal("DatabaseUnavailable");

    await rm(path, { recursive: true });
    await writeFile(path, "garbage ".repeat(1000));
    await until();

    expect(await failure(database.read("select a from t"))).to.include({
      name: "SqlFailed",
      kind: "not-a-database",
      message: "file is not a database",
    });
  });

  it("and gets truncated fails with SQLite's complaint, not with wrong rows", async () => {
    const { database, path } = await sqliteFile(
      "create table t (a); insert into t with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select hex(zeroblob(200)) from n",
    );
    await truncate(path, 8192);
    await until();

    const error = await failure(database.read("select count(a) from t"));

    expect(error).to.include({ name: "SqlFailed", kind: "corrupt" });
    expect(error.message).to.match(/malformed/);
  });

  it("and immutable is opened again if it changes nevertheless", async () => {
    const { path } = await sqliteFile(SCRIPT);
    const database = await openSqlite(`file:${path}`, { mutable: false });
    const before = await database.describe();
    await database.read("select a from t");

    await buildDatabase(path, "insert into t values ('second')");
    await until();
    const after = await database.describe();

    expect((await database.read("select a from t")).rows).to.have.length(2);
    expect(before.hash).to.match(/^[0-9a-f]{64}$/);
    expect(after.hash).to.equal(
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
    expect(after.hash).not.to.equal(before.hash);
  });

  it("and immutable is not hashed if its hash is known", async () => {
    const { path } = await sqliteFile(SCRIPT);

    const database = await openSqlite(`file:${path}`, { mutable: false, hash: "known" });

    expect((await database.describe()).hash).to.equal("known");
  });

  it("in WAL mode keeps its mode, and its readers never wait for the writer", async () => {
    const { database, path } = await sqliteFile(`pragma journal_mode = wal; ${SCRIPT}`);

    await database.write(async (transaction) => {
      await transaction.run("insert into t values ('second')");
      expect((await database.read("select count(*) from t")).rows).to.deep.equal([[1]]);
    });

    const raw = await openRaw(path);
    closeWhenDone(raw);
    expect(await raw.all("pragma journal_mode")).to.deep.equal([{ journal_mode: "wal" }]);
  });

  it("whose write-ahead log was lost shows its last checkpoint, and takes writes", async () => {
    const path = await freshPath();
    const raw = await openRaw(path);
    closeWhenDone(raw);
    await raw.run("pragma journal_mode = wal; create table t (a); insert into t values ('kept')");
    await raw.run("pragma wal_checkpoint(truncate); insert into t values ('only in the log')");
    const copy = await freshPath();
    await copyFile(path, copy);

    const database = await openSqlite(`file:${copy}`);

    expect((await database.read("select a from t")).rows).to.deep.equal([["kept"]]);
    await database.write((transaction) => transaction.run("insert into t values ('new')"));
    expect((await database.read("pragma integrity_check")).rows).to.deep.equal([["ok"]]);
    expect((await database.read("select a from t")).rows).to.deep.equal([["kept"], ["new"]]);
  });

  it("in a folder without write permission is read", async function () {
    if (process.getuid?.() === 0) this.skip();
    const { path } = await sqliteFile(SCRIPT);
    await chmod(dirname(path), 0o500);
    closeWhenDone({ close: () => chmod(dirname(path), 0o700) });

    const database = await openSqlite(`file:${path}`);

    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
  });

  it("with a write-ahead log in such a folder is refused with what to do", async function () {
    if (process.getuid?.() === 0) this.skip();
    const path = await freshPath();
    await buildDatabase(path, `pragma journal_mode = wal; ${SCRIPT}`);
    await chmod(dirname(path), 0o500);
    closeWhenDone({ close: () => chmod(dirname(path), 0o700) });

    const error = await failure(openSqlite(`file:${path}`));
    const database = await openSqlite(`file:${path}`, { mutable: false });

    expect(error.message).to.equal(
      `Connection to ${path} failed check: attempt to write a readonly database. Make its folder writable, ` +
        "or serve it with -i, which reads neither a write-ahead log nor a journal",
    );
    expect((await database.read("select a from t")).rows).to.deep.equal([["first"]]);
  });
});

describe("a database in memory", () => {
  it("reads other files, and writes none of them", async () => {
    const { path } = await sqliteFile(SCRIPT);
    const memory = await openSqlite("memory:", { attach: [{ name: "odd.name", path }], mutable: false });

    const { columns, rows } = await memory.read('select * from "odd.name".t', [], { trust: "untrusted" });
    const error = await failure(memory.read(`attach '${path}' as more`, [], { trust: "untrusted" }));

    expect({ columns, rows }).to.deep.equal({ columns: ["a"], rows: [["first"]] });
    expect(error.name).to.equal("InvalidSql");
  });

  it("shares no table with another one", async () => {
    const [one, other] = [await openSqlite("memory:"), await openSqlite("memory:")];
    await one.write((transaction) => transaction.run("create table t (a)"));

    expect((await one.schema()).tables.size).to.equal(1);
    expect((await other.schema()).tables.size).to.equal(0);
    expect(await one.describe()).to.deep.equal({ path: null, shownPath: null, sizeBytes: 0, hash: null });
  });
});

describe("new connections", () => {
  it("are prepared by plugins before their first statement", async () => {
    const { path } = await sqliteFile(SCRIPT);
    let prepared = 0;

    const database = await openSqlite(`file:${path}`, {
      prepareConnection: async (connection) => {
        prepared += 1;
        await connection.exec("pragma case_sensitive_like = on");
      },
    });

    expect((await database.read("select 'A' like 'a'")).rows).to.deep.equal([[0]]);
    expect(prepared).to.be.greaterThan(0);
  });

  it("load extensions, or name the one that cannot be loaded", async () => {
    const path = await freshPath();
    await buildDatabase(path, SCRIPT);
    await copyFile(path, `${path}.so`);

    const missing = await failure(openSqlite(`file:${path}`, { loadExtension: ["/nowhere/ext"] }));
    const entry = await failure(openSqlite(`file:${path}`, { loadExtension: ["/nowhere/ext:init"] }));

    expect(missing.message).to.match(/^Could not load extension \/nowhere\/ext: /);
    expect(entry.message).to.match(/entry point init/);
  });
});
