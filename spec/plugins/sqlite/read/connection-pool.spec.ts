import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { failure } from "../../../harness/failures.js";
import { sqliteFile } from "../open-sqlite.js";

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

describe("connections of one database", () => {
  it("are shared fairly: untrusted statements never use the last one", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const callers = Array.from({ length: 12 }, () => new AbortController());
    const storm = callers.map(({ signal }) =>
      failure(database.read(ENDLESS, [], { trust: "untrusted", signal })),
    );
    await sleep(20);

    expect((await database.read("select count(*) from t")).rows).to.deep.equal([[0]]);

    for (const caller of callers) caller.abort();
    for (const error of await Promise.all(storm)) expect(error.name).to.equal("QueryInterrupted");
  });

  it("serve waiting reads in order of arrival", async () => {
    const { database } = await sqliteFile("create table t (a)", { settings: { num_sql_threads: 1 } });
    const order: number[] = [];

    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        await database.read("select 1");
        order.push(index);
      }),
    );

    expect(order).to.deep.equal(Array.from({ length: 10 }, (_, index) => index));
  });

  it("remove a client that has left from the queue", async () => {
    const { database } = await sqliteFile("create table t (a)", { settings: { num_sql_threads: 1 } });
    const [first, caller] = [new AbortController(), new AbortController()];
    const blocking = failure(database.read(ENDLESS, [], { signal: first.signal }));
    const waiting = failure(database.read("select 1", [], { signal: caller.signal }));
    await sleep(10);
    caller.abort();

    expect((await waiting).name).to.equal("QueryInterrupted");
    first.abort();
    await blocking;
  });

  it("interrupt only the statement whose time limit has passed", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const short =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select max(i) from n";

    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        if (index % 4 !== 0) return database.read(short);
        return failure(database.read(ENDLESS, [], { timeLimitMs: (index % 3) + 1 }));
      }),
    );

    for (const [index, result] of results.entries()) {
      if (index % 4 === 0) expect(result).to.have.property("name", "QueryInterrupted");
      else expect(result).to.deep.include({ rows: [[2000]] });
    }
  });

  it("keep connections for pages beside long streams", async () => {
    const { database } = await sqliteFile("create table t (a)", { settings: { num_sql_threads: 1 } });
    const numbers =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select i from n";
    const streams = Array.from({ length: 4 }, () => database.stream(numbers)[Symbol.asyncIterator]());
    await Promise.all(streams.map((stream) => stream.next()));

    expect((await database.read("select 1")).rows).to.deep.equal([[1]]);

    await Promise.all(streams.map((stream) => stream.return?.()));
  });

  for (const trust of ["trusted", "untrusted"] as const) {
    it(`end a stream with its error, also if a commit came before that (${trust})`, async () => {
      const { database } = await sqliteFile(
        `create table t (id integer primary key, overflows);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select i, 0 from n;
        update t set overflows = -9223372036854775808 where id = 40000;`,
      );
      const stream = database.stream("select abs(overflows) from t", [], { trust })[Symbol.asyncIterator]();
      await stream.next();
      await database.write((transaction) => transaction.run("delete from t where id = 1"));

      const reading = async (): Promise<void> => {
        while ((await stream.next()).done !== true);
      };

      expect((await failure(reading())).message).to.equal("integer overflow");
    });
  }

  it("read the rest of a stream into a temporary file before a commit, and delete the file", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const before = await filesPutAside();
    const numbers =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i, (select count(*) from t) from n";
    const streams = Array.from({ length: 3 }, () => database.stream(numbers)[Symbol.asyncIterator]());
    await Promise.all(streams.map((stream) => stream.next()));

    await database.write((transaction) => transaction.run("insert into t values (1)"));

    const [early, later, ...others] = streams;
    await early?.return?.();
    const next = await later?.next();
    expect(next?.value.rows[0]).to.deep.equal([251, 0]);
    await later?.return?.();
    await Promise.all(others.map((stream) => stream.return?.()));
    expect(await filesPutAside()).to.equal(before);
  });

  it("return texts with every separator of lines unchanged from the temporary file", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const separators =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) " +
      "select i || char(10, 11, 12, 13, 133, 8232, 8233) || 'end' as text from n";
    const seen: unknown[] = [];
    const stream = database.stream(separators, [], { batchSize: 10 });

    for await (const { rows } of stream) {
      if (seen.length === 0)
        await database.write((transaction) => transaction.run("insert into t values (1)"));
      seen.push(...rows.map(([text]) => text));
    }

    expect(seen).to.deep.equal(
      Array.from({ length: 2000 }, (_, index) => `${index + 1}\n\v\f\r\u0085\u2028\u2029end`),
    );
  });

  it("have no time limit that is longer than a timer can be", async () => {
    const { database } = await sqliteFile("create table t (a)", { settings: { sql_isolation: "thread" } });
    const second =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select max(i) from n";

    const { rows } = await database.read(second, [], { timeLimitMs: 2 ** 31 });

    expect(rows).to.deep.equal([[300_000]]);
  });

  it("hold a stream's memory flat, however many rows it has", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const million =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select i, hex(i) || 'some text' from n";
    let rows = 0;
    let highest = 0;
    const before = process.memoryUsage().rss;

    for await (const batch of database.streamJson(million)) {
      rows += batch.rows.length;
      highest = Math.max(highest, process.memoryUsage().rss);
    }

    expect(rows).to.equal(300_000);
    expect((highest - before) / 1_048_576).to.be.below(100);
  });

  it("stream rows of every size in order", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const sizes =
      "with recursive n(i) as (select 0 union all select i + 1 from n where i < 400) " +
      "select i, case when i % 37 = 0 or i between 60 and 70 then printf('%.*c', 50000, 'x') else 'small' end from n";
    const seen: number[] = [];

    for await (const { rows } of database.stream(sizes, [], { batchSize: 30 })) {
      for (const [i, text] of rows) {
        seen.push(Number(i));
        expect(String(text).length).to.equal(
          Number(i) % 37 === 0 || (Number(i) >= 60 && Number(i) <= 70) ? 50_000 : 5,
        );
      }
    }

    expect(seen).to.deep.equal(Array.from({ length: 401 }, (_, index) => index));
  });
});

const filesPutAside = async (): Promise<number> =>
  (await readdir(tmpdir())).filter(
    (name) => name.startsWith(`rowhouse-${process.pid}-`) && name.endsWith(".rows"),
  ).length;
