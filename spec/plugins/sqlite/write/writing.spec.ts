import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database, SqlParams } from "rowhouse/plugin-api";
import type { Rows } from "rowhouse/plugin-api/engine";
import { failure } from "../../../harness/failures.js";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { buildDatabase, openRaw, type RawDatabase } from "../../../harness/raw-sqlite.js";
import { until } from "../../../harness/until.js";
import { freshPath, openSqlite, sqliteFile } from "../open-sqlite.js";

const TABLE = "create table t (id integer primary key, a)";

const count = async (database: Database): Promise<unknown> =>
  (await database.read("select count(*) from t")).rows[0]?.[0];

const outsider = async (path: string): Promise<RawDatabase> => {
  const raw = await openRaw(path);
  closeWhenDone(raw);
  return raw;
};

const returned = async (returning: string, params: SqlParams, values = "?"): Promise<Rows> => {
  const { database } = await sqliteFile(TABLE);
  const sql = `insert into t (a) values (${values}) returning ${returning}`;
  return database.write((transaction) => transaction.all(sql, params));
};

describe("RETURNING", () => {
  it("has positional parameters, counted through the whole statement", async () => {
    const { columns, rows } = await returned("id + ?, 'a?' || ?2 as text, a || ? \"last ?\"", ["x", 10, "y"]);

    expect(columns).to.deep.equal(["id + ?", "text", "last ?"]);
    expect(rows).to.deep.equal([[11, "a?10", "xy"]]);
  });

  it("has named parameters, each with one value", async () => {
    const params = { a: "x", b: 9007199254740993n, c: 2 };
    const { columns, rows } = await returned("*, :b, (select :a || $c) as both, *, A", params, ":a");

    expect(columns).to.deep.equal(["id", "a", ":b", "both", "id", "a", "a"]);
    expect(rows).to.deep.equal([[1, "x", 9007199254740993n, "x2", 1, "x", "x"]]);
  });

  it("returns no rows if the statement is only explained", async () => {
    const { database } = await sqliteFile(TABLE);
    const sql = "explain insert into t (a) values ('x') returning id";

    const { returned: rows } = await database.write((transaction) => transaction.run(sql));

    expect(rows).to.equal(undefined);
    expect(await count(database)).to.equal(0);
  });

  it("needs a value for each parameter", async () => {
    expect(await failure(returned("id + :missing", { a: 1 }, ":a"))).to.include({
      message: "You did not supply a value for binding parameter :missing.",
    });
  });
});

describe("writes of one process", () => {
  it("share a commit if they wait at the same time", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);
    const commits = async (): Promise<number> => {
      const [row] = await raw.all("select data_version as v from pragma_data_version");
      return Number(row?.["v"]);
    };
    const commitsOfHundred = async (): Promise<number> => {
      const seen = new Set<number>([await commits()]);
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          await database.write((transaction) => transaction.run("insert into t (a) values (?)", [index]));
          seen.add(await commits());
        }),
      );
      return seen.size - 1;
    };

    let rounds = 0;
    // Writes join a commit for 20 ms, in which a paused machine does nothing.
    await until(async () => {
      rounds += 1;
      return (await commitsOfHundred()) <= 20;
    });

    expect(await count(database)).to.equal(100 * rounds);
  });

  it("resolve only when they are on disk", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);

    await Promise.all(
      Array.from({ length: 20 }, async (_, id) => {
        await database.write((transaction) => transaction.run("insert into t values (?, 'x')", [id]));
        expect(await raw.all(`select id from t where id = ${id}`)).to.have.length(1);
      }),
    );
  });

  it("are flushed to the disk with every commit, whatever plugins set", async () => {
    const path = await freshPath();
    await buildDatabase(path, TABLE);
    const database = await openSqlite(`file:${path}`, {
      prepareConnection: ({ exec }) => exec("pragma synchronous = off"),
    });

    const { rows } = await database.write((transaction) => transaction.all("pragma synchronous"));

    const extra = 3;
    expect(rows).to.deep.equal([[extra]]);
  });

  it("do not succeed if another write rolls back the shared transaction", async () => {
    const { database } = await sqliteFile(
      `${TABLE}; create trigger no before insert on t when new.a = 'no' begin select raise(rollback, 'never'); end`,
    );

    const results = await Promise.allSettled(
      ["yes", "no", "yes"].map((a) =>
        database.write(async (transaction) => {
          await transaction.run("insert into t (a) values (?)", [a]);
          await sleep(1);
        }),
      ),
    );

    const kept = results.filter(({ status }) => status === "fulfilled").length;
    expect(results[1]).to.have.nested.property("reason.message", "never");
    expect(await count(database)).to.equal(kept);
  });

  it("keep an empty journal between them, of bounded size, which is gone once the database is closed", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const journal = `${path}-journal`;
    await database.write((transaction) =>
      transaction.run("insert into t (a) values (?)", ["x".repeat(3_000_000)]),
    );
    await database.write((transaction) => transaction.run("delete from t"));

    const content = await readFile(journal);
    expect(content.subarray(0, 8)).to.deep.equal(Buffer.alloc(8));
    expect(content.length).to.be.within(1, 1_048_576);

    await database.close();
    expect(existsSync(journal)).to.equal(false);
  });

  it("fail after a statement that has ended the transaction", async () => {
    const { database } = await sqliteFile(TABLE);

    const error = await failure(
      database.write(async (transaction) => {
        await transaction.run("insert into t values (1, 'x')");
        await transaction.run("insert or rollback into t values (1, 'y')").catch(() => undefined);
        await transaction.run("insert into t values (2, 'z')");
      }),
    );

    expect(error.message).to.equal("UNIQUE constraint failed: t.id");
    expect(await count(database)).to.equal(0);
  });

  it("reject statements after the end of the transaction", async () => {
    const { database } = await sqliteFile(TABLE);
    const { leaked } = await database.write(async (transaction) => ({ leaked: transaction }));

    expect((await failure(leaked.run("delete from t"))).message).to.match(/after its work had ended/);
  });

  it("run statements that start at the same time one after the other", async () => {
    const { database } = await sqliteFile(TABLE);

    await database.write(async (transaction) => {
      await Promise.all([1, 2, 3].map((id) => transaction.run("insert into t values (?, 'x')", [id])));
    });

    expect(await count(database)).to.equal(3);
  });

  it("report that no key is left, and not a full disk", async () => {
    const { database } = await sqliteFile("create table t (id integer primary key autoincrement, a)");
    await database.write((transaction) =>
      transaction.run("insert into t values (9223372036854775807, 'last')"),
    );

    for (const returning of ["", " returning id"]) {
      const error = await failure(
        database.write((transaction) => transaction.all(`insert into t (a) values ('one more')${returning}`)),
      );

      expect(error).to.include({
        status: 400,
        kind: "constraint",
        message: "t has given out its last key, 9223372036854775807",
      });
    }
    expect(await count(database)).to.equal(1);
  });

  it("fire delete triggers on replace and check no foreign keys", async () => {
    const { database } = await sqliteFile(
      `${TABLE}; create table log (id); create table r (t references t(id));
       create trigger gone after delete on t begin insert into log values (old.id); end`,
    );

    await database.write(async (transaction) => {
      await transaction.run("insert into r values (99)");
      await transaction.run("insert into t values (1, 'x')");
      await transaction.run("replace into t values (1, 'y')");
    });

    expect((await database.read("select id from log")).rows).to.deep.equal([[1]]);
  });

  for (const mode of ["delete", "wal"]) {
    it(`keep no reader waiting while they are under way, also when they change many megabytes (${mode})`, async () => {
      const { database } = await sqliteFile(`pragma journal_mode = ${mode}; ${TABLE}`);
      const twentyMegabytes =
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) " +
        "insert into t (a) select printf('%.*c', 1000, 'x') from n";

      const seen = await database.write(async (transaction) => {
        await transaction.run(twentyMegabytes);
        return count(database);
      });

      expect(seen).to.equal(0);
      expect(await count(database)).to.equal(20_000);
    });
  }

  it("are rejected if the database is immutable", async () => {
    const { path } = await sqliteFile(TABLE);
    const database = await openSqlite(`file:${path}`, { mutable: false });

    const error = await failure(database.write(async () => undefined));

    expect(error).to.include({ name: "ReadOnlyDatabase", message: "Database is immutable" });
  });
});

describe("writers of other processes", () => {
  it("are noticed, and their rows seen", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const [version, schema] = [await database.version(), await database.schema()];
    await database.read("select * from t");
    const raw = await outsider(path);

    await raw.run("insert into t values (1, 'x')");
    const moved = await database.version();

    expect(moved.data).not.to.equal(version.data);
    expect(moved.schema).to.equal(version.schema);
    expect(await database.schema()).to.equal(schema);
    expect(await count(database)).to.equal(1);

    await raw.run("alter table t rename column a to b; create table u (c)");

    expect([...(await database.schema()).tables.keys()]).to.deep.equal(["t", "u"]);
    expect((await database.read("select * from t")).columns).to.deep.equal(["id", "b"]);
    expect((await database.read("select * from t", [], { columns: ["id", "b"] })).rows).to.deep.equal([
      [1, "x"],
    ]);
  });

  for (const mode of ["delete", "wal"]) {
    it(`that keep the lock are waited for (${mode})`, async () => {
      const { database, path } = await sqliteFile(`pragma journal_mode = ${mode}; ${TABLE}`);
      const raw = await outsider(path);
      await raw.run("begin immediate; insert into t values (1, 'x')");
      const writing = database.write((transaction) => transaction.run("insert into t values (2, 'y')"));
      await sleep(150);

      await raw.run("commit");
      await writing;

      expect(await count(database)).to.equal(2);
    });

    it(`that keep the lock for too long make a write fail with 503, while reads continue (${mode})`, async () => {
      const { database, path } = await sqliteFile(`pragma journal_mode = ${mode}; ${TABLE}`);
      const raw = await outsider(path);
      await raw.run("begin immediate; insert into t values (1, 'x')");
      const started = performance.now();

      const writing = failure(
        database.write((transaction) => transaction.run("insert into t values (2, 'y')"), { timeoutMs: 200 }),
      );
      expect(await count(database)).to.equal(0);
      const error = await writing;

      expect(error).to.include({ name: "DatabaseUnavailable", status: 503, message: "database is locked" });
      expect(performance.now() - started).to.be.at.least(190);
      await raw.run("rollback");
      await database.write((transaction) => transaction.run("insert into t values (2, 'y')"));
    });
  }

  it("that keep the lock let all writes fail that wait for it at once", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);
    await raw.run("begin immediate; insert into t values (1, 'x')");
    const started = performance.now();
    const insert = (): Promise<unknown> =>
      database.write((transaction) => transaction.run("insert into t (a) values ('y')"), { timeoutMs: 200 });

    const errors = await Promise.all(Array.from({ length: 50 }, () => failure(insert())));

    for (const error of errors) expect(error).to.include({ message: "database is locked" });
    expect(performance.now() - started).to.be.below(2_000);
    await raw.run("commit");
    await insert();
    expect(await count(database)).to.equal(2);
  });

  it("can write after a statement of this process has found their lock", async () => {
    const { database, path } = await sqliteFile(TABLE, {
      settings: { lock_wait_ms: 200, num_sql_threads: 1 },
    });
    await count(database);
    const raw = await outsider(path);
    await raw.run("begin exclusive; insert into t values (1, 'x')");
    expect((await failure(count(database))).message).to.equal("database is locked");
    await raw.run("commit");

    await database.read("select 1 from t");
    await raw.run("begin exclusive; insert into t values (2, 'y'); commit");

    expect(await count(database)).to.equal(2);
  });

  it("that read delay a commit; after a commit has failed, the next write runs", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);
    await raw.run("begin; select count(*) from t");
    const insert = "insert into t (a) values ('x') returning id";

    const error = await failure(database.write((transaction) => transaction.run(insert), { timeoutMs: 100 }));
    expect(error).to.include({ name: "DatabaseUnavailable", message: "database is locked" });
    await raw.run("rollback");

    await raw.run("begin exclusive; insert into t values (7, 'theirs'); commit");
    await database.write((transaction) => transaction.run(insert));
    expect(await count(database)).to.equal(2);
  });

  it("lose no update, and neither does this process", async () => {
    const { database, path } = await sqliteFile(`${TABLE}; insert into t values (1, 0)`);
    const raw = await outsider(path);
    await raw.run("pragma busy_timeout = 5000");
    const ours = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) {
        await database.write((transaction) => transaction.run("update t set a = a + 1"));
      }
    };
    const theirs = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1)
        await raw.run("begin immediate; update t set a = a + 1; commit");
    };

    await Promise.all([ours(), theirs()]);

    expect((await database.read("select a from t")).rows).to.deep.equal([[40]]);
  });

  it("that hold the lock at the first write delay it", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);
    await raw.run("begin exclusive");

    const written = database.write((transaction) => transaction.run("insert into t values (1, 'ours')"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await raw.run("commit");
    await written;

    expect(await count(database)).to.equal(1);
  });

  it("that hold the lock at the first read delay it", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await outsider(path);
    await raw.run("begin exclusive");

    const read = count(database);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await raw.run("commit");

    expect(await read).to.equal(0);
  });

  it("that are killed leave all or nothing, and their journal is cleaned up", async () => {
    const { database, path } = await sqliteFile(`${TABLE}; insert into t values (1, 'kept')`);
    const child = fork(new URL("./write-and-hang.js", import.meta.url), [path], { stdio: "ignore" });
    await once(child, "message");
    child.kill("SIGKILL");
    await once(child, "exit");

    expect(await count(database)).to.equal(1);
    await database.write((transaction) => transaction.run("insert into t values (2, 'ours')"));
    expect((await database.read("pragma integrity_check")).rows).to.deep.equal([["ok"]]);
  });
});
