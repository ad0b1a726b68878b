import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database, Transaction } from "rowhouse/plugin-api";
import type { WriteOptions } from "rowhouse/plugin-api/engine";
import { failure } from "../../../harness/failures.js";
import { rowhouseFor, type TestReply } from "../../../harness/index.js";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { openRaw } from "../../../harness/raw-sqlite.js";
import { sqliteFile } from "../open-sqlite.js";

const TABLE = "create table log (id integer primary key autoincrement, n unique)";

/** Inserts `n` with a work function. */
const insert = (database: Database, n: unknown, options?: WriteOptions): Promise<unknown> =>
  database.write(
    (transaction: Transaction) => transaction.run("insert into log (n) values (?)", [n as string]),
    options,
  );

/** Inserts `n` with a bulk form. */
const insertInBulk = (database: Database, n: unknown, returning = ""): Promise<unknown> =>
  insert(database, n, {
    bulk: {
      sql: `insert into log (n) select value from json_each(?)${returning}`,
      items: [JSON.stringify(n)],
      result: () => null,
    },
  });

const numbers = async (database: Database): Promise<readonly unknown[]> =>
  (await database.read("select n from log order by id")).rows.flat();

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe("order of arrival", () => {
  it("is kept for writes of all forms that one client sends without waiting", async () => {
    const { database } = await sqliteFile(TABLE);
    const forms = [
      (n: number) => insertInBulk(database, n),
      (n: number) => insert(database, n),
      (n: number) => insertInBulk(database, n, " returning n"),
      (n: number) => insertInBulk(database, n),
      (n: number) => insert(database, n, { timeoutMs: 1000 }),
      () => insertInBulk(database, 0).catch(() => "taken"),
      () => insert(database, 0).catch(() => "taken"),
    ];

    for (const start of range(5)) {
      await Promise.all(range(70).map((n) => forms[(n * (start + 1)) % forms.length]?.(70 * start + n)));
    }

    const found = await numbers(database);
    expect(found).to.deep.equal(found.toSorted((one, other) => Number(one) - Number(other)));
    expect(found).to.have.length.above(100);
  });
});

describe("a write that fails", () => {
  const trigger =
    "create trigger no before insert on log when new.n = 'no' begin select raise(rollback, 'never'); end";

  it("does not fail the bulk writes of its transaction, also if SQLite rolls back all of it", async () => {
    const { database } = await sqliteFile(`${TABLE}; ${trigger}`);
    const slow = (n: string): Promise<unknown> =>
      database.write(async (transaction) => {
        await sleep(5);
        return transaction.run("insert into log (n) values (?)", [n]);
      });

    const results = await Promise.allSettled([
      insertInBulk(database, "one", " returning n"),
      insertInBulk(database, "two", " returning n"),
      slow("no"),
      insertInBulk(database, "three"),
    ]);

    expect(results.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(results[2]).to.have.nested.property("reason.message", "never");
    expect(await numbers(database)).to.deep.equal(["one", "two", "three"]);
  });

  it("does not fail repeatable writes of its transaction, each of which is stored once", async () => {
    const { database } = await sqliteFile(`${TABLE}; ${trigger}`);
    const repeatable = (n: string): Promise<unknown> => insert(database, n, { repeatable: true });

    const results = await Promise.allSettled(["one", "no", "two", "no", "three"].map(repeatable));

    expect(results.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await numbers(database)).to.deep.equal(["one", "two", "three"]);
  });

  it("does not run other work again that may have effects outside of the database", async () => {
    const { database } = await sqliteFile(`${TABLE}; ${trigger}`);
    let calls = 0;
    const counted = database.write((transaction) => {
      calls++;
      return transaction.run("insert into log (n) values ('one')");
    });

    const results = await Promise.allSettled([counted, insert(database, "no")]);

    expect(results.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(results[0]).to.have.nested.property("reason.status", 503);
    expect([calls, await numbers(database)]).to.deep.equal([1, []]);
  });

  it("does not fail other writes of the JSON API and of canned queries", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table books (id integer primary key, title text);
        insert into books select value, 'old' from json_each('[1,2,3,4,5,6,7,8,9,10]');
        create trigger no before update on books when new.title = 'no' begin select raise(rollback, 'never'); end`,
      metadata: {
        databases: {
          library: {
            queries: { rename: { sql: "update books set title = :title where id = :id", write: true } },
          },
        },
      },
    });
    const update = (id: number): Promise<TestReply> =>
      rowhouse.post(`/library/books/${id}/-/update`, {
        as: "root",
        json: { update: { title: id % 4 === 0 ? "no" : "new" }, return: true },
      });
    const batch = (id: number): Promise<TestReply> =>
      rowhouse.post("/library/-/batch", {
        as: "root",
        json: { operations: [{ op: "update", table: "books", key: id, update: { title: "new" } }] },
      });
    const query = (id: number): Promise<TestReply> =>
      rowhouse.post("/library/rename?_json=1", { as: "root", json: { id, title: "new" } });

    const writes = range(10).map((at) => (at === 1 ? batch(2) : at === 2 ? query(3) : update(at + 1)));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);

    expect(statuses).to.deep.equal([200, 200, 200, 400, 200, 200, 200, 400, 200, 200]);
    const titles = (await rowhouse.rows("books")).map(({ title }) => title);
    expect(titles.filter((title) => title === "new")).to.have.length(8);
  });

  it("does not fail other bulk writes with the same statement", async () => {
    const { database } = await sqliteFile(`${TABLE}; ${trigger}`);

    const results = await Promise.allSettled(
      ["one", "no", "two", "two", "three"].map((n) => insertInBulk(database, n)),
    );

    expect(results.map(({ status }) => status === "fulfilled")).to.deep.equal([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(await numbers(database)).to.deep.equal(["one", "two", "three"]);
  });
});

describe("between writes", () => {
  const works: readonly (readonly [string, (transaction: Transaction) => Promise<unknown>])[] = [
    ["an insert", (transaction) => transaction.run("insert into log (n) values (1)")],
    ["rows that run ignores", (transaction) => transaction.run("select * from log")],
    ["RETURNING", (transaction) => transaction.all("insert into log (n) values (2), (3) returning n")],
    ["a select", (transaction) => transaction.allJson("select * from log limit 1")],
    ["EXPLAIN", (transaction) => transaction.all("explain select * from log")],
    ["a pragma", (transaction) => transaction.all("pragma table_info(log)")],
    ["a failed statement", (transaction) => transaction.run("insert into log (n) values (0)")],
    ["a statement that is not awaited", async (transaction) => void transaction.all("select * from log")],
  ];
  for (const [title, work] of works) {
    for (const options of [{}, { dryRun: true }, { transaction: false }]) {
      it(`no statement stays open: ${title} ${JSON.stringify(options)}`, async () => {
        const { database, path } = await sqliteFile(`${TABLE}; insert into log (n) values (0), (4), (5)`);
        const other = await openRaw(path);
        closeWhenDone(other);

        await database.write(work, options).catch(() => undefined);

        // An open statement keeps a shared lock, which excludes this one.
        await other.run("pragma busy_timeout = 0; begin exclusive; commit");
      });
    }
  }

  const unawaited: Readonly<Record<string, (transaction: Transaction) => Promise<unknown>>> = {
    last: async (transaction) => {
      await transaction.run("insert into log (n) values (1)");
      void transaction.run("insert into elsewhere values (1)");
    },
    first: (transaction) => {
      void transaction.run("insert into elsewhere values (1)").catch(() => undefined);
      void transaction.run("insert into log (n) values (1)");
      return Promise.resolve();
    },
  };
  for (const [place, work] of Object.entries(unawaited))
    it(`nothing is stored if a statement fails for which the work did not wait: the ${place} one`, async () => {
      const { database } = await sqliteFile(TABLE);

      const error = await failure(database.write(work));

      expect(error.message).to.equal("no such table: elsewhere");
      expect(await numbers(database)).to.deep.equal([]);
    });

  it("the lock is free as soon as a write has failed", async () => {
    // The rollback takes less than a millisecond, so one of a hundred rounds met it when writes failed before it.
    for (let round = 0; round < 200; round += 1) {
      const { database, path } = await sqliteFile(`${TABLE}; insert into log (n) values (0)`);
      const other = await openRaw(path);
      const failed = await database
        .write((transaction) => transaction.run("insert into log (n) values (0)"))
        .catch((error: Error) => error);
      expect(failed).to.be.an("error");

      await other.run("pragma busy_timeout = 0; begin exclusive; commit");
      await other.close();
    }
  });
});
