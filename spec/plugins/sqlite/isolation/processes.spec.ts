import { renameSync } from "node:fs";
import { getPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../../harness/index.js";
import { buildDatabase } from "../../../harness/raw-sqlite.js";
import { failure } from "../../../harness/failures.js";
import { until } from "../../../harness/until.js";
import { freshPath, openSqlite, sqliteFile } from "../open-sqlite.js";
import { childrenOf, startedSince, STUCK } from "./children.js";

const UNTRUSTED = { trust: "untrusted" } as const;
const HOUR_MS = 3_600_000;

// A size that no other spec asks for has processes of its own.
const OWN_POOL = { num_sql_processes: 1, sql_process_memory_mb: 513 };

const ask = async (rowhouse: TestRowhouse, sql: string): Promise<unknown> =>
  (await rowhouse.get(`/library.json?_shape=arrayfirst&sql=${encodeURIComponent(sql)}`)).json;

describe("processes for untrusted SQL", function () {
  before(function () {
    if (process.platform !== "linux") this.skip();
  });

  it("start when they are needed, not before, and never for trusted statements", async () => {
    const before = childrenOf(process.pid);
    const { database } = await sqliteFile("create table t (a)", { settings: OWN_POOL });
    await database.read("select * from t");
    expect(startedSince(before)).to.deep.equal([]);

    await database.read("select * from t", [], UNTRUSTED);

    // On a busy machine the first process may seem to be stuck: then another one is started to replace it.
    expect(startedSince(before).length).to.be.within(1, 2);
    // Pages go first when processors are busy.
    await until(() => startedSince(before).every((pid) => getPriority(pid) > getPriority()));
  });

  it("do not run with the setting `thread`", async () => {
    const settings = { ...OWN_POOL, sql_process_memory_mb: 514, sql_isolation: "thread" };
    const { database } = await sqliteFile("create table t (a)", { settings });
    const before = childrenOf(process.pid);

    expect((await database.read("select 1", [], UNTRUSTED)).rows).to.deep.equal([[1]]);

    expect(startedSince(before)).to.deep.equal([]);
  });

  it("that die cost one statement", async () => {
    const before = childrenOf(process.pid);
    const settings = { ...OWN_POOL, sql_process_memory_mb: 515 };
    const { database } = await sqliteFile("create table t (a)", { settings });
    await database.read("select 1", [], UNTRUSTED);
    const [pid = 0] = childrenOf(process.pid).filter((child) => !before.includes(child));
    const reading = failure(database.read(STUCK, [], { ...UNTRUSTED, timeLimitMs: HOUR_MS }));
    await sleep(200);

    process.kill(pid, "SIGSEGV");

    expect(await reading).to.include({ name: "DatabaseUnavailable", status: 503 });
    expect((await database.read("select 1", [], UNTRUSTED)).rows).to.deep.equal([[1]]);
  });

  it("stop when the caller goes away, whatever they are doing", async () => {
    const settings = { ...OWN_POOL, sql_process_memory_mb: 516 };
    const { database } = await sqliteFile("create table t (a)", { settings });
    const caller = new AbortController();
    const options = { ...UNTRUSTED, timeLimitMs: HOUR_MS, signal: caller.signal };
    const reading = failure(database.read(STUCK, [], options));
    await sleep(300);

    caller.abort();

    expect((await reading).name).to.equal("QueryInterrupted");
    expect((await database.read("select 1", [], UNTRUSTED)).rows).to.deep.equal([[1]]);
  });

  it("have no secrets in their environment", async () => {
    const before = childrenOf(process.pid);
    const settings = { ...OWN_POOL, sql_process_memory_mb: 517 };
    process.env["ROWHOUSE_SECRET"] = "of this spec";
    const { database } = await sqliteFile("create table t (a)", { settings });
    await database.read("select 1", [], UNTRUSTED);
    delete process.env["ROWHOUSE_SECRET"];
    const [pid = 0] = childrenOf(process.pid).filter((child) => !before.includes(child));

    const { readFileSync } = await import("node:fs");

    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).to.not.include("of this spec");
  });
});

describe("what a process reads", () => {
  it("is what was written last, also to a database in memory", async () => {
    const memory = await openSqlite("memory:");
    await memory.write((transaction) => transaction.run("create table t (a)"));
    expect((await memory.read("select * from t", [], UNTRUSTED)).rows).to.deep.equal([]);
    await memory.write((transaction) => transaction.run("insert into t values (7)"));

    const { rows } = await memory.read("select rowid, a from t", [], UNTRUSTED);

    expect(rows).to.deep.equal([[1, 7]]);
  });

  it("is the file that has the name now", async () => {
    const { path, database } = await sqliteFile("create table t (a); insert into t values ('old')");
    expect((await database.read("select a from t", [], UNTRUSTED)).rows).to.deep.equal([["old"]]);
    const other = await freshPath();
    await buildDatabase(other, "create table t (a); insert into t values ('new')");

    renameSync(other, path);

    await until(async () => (await database.read("select a from t", [], UNTRUSTED)).rows[0]?.[0] === "new");
  });

  it("is prepared by plugins as every connection is", async () => {
    const { database } = await sqliteFile("create table t (a)", {
      prepareConnection: (connection) => connection.exec("pragma case_sensitive_like = on"),
    });

    const { rows } = await database.read("select 'A' like 'a'", [], UNTRUSTED);

    expect(rows).to.deep.equal([[0]]);
  });

  it("keeps every kind of parameter and value", async () => {
    const { database } = await sqliteFile("create table t (a)");
    const values = [null, "é\u0000x", 2n ** 62n, Buffer.from([0, 255]), 1.5];

    const { rows } = await database.read("select ?, ?, ?, ?, ?", values, UNTRUSTED);

    expect(rows[0]?.slice(0, 3)).to.deep.equal(values.slice(0, 3));
    expect(Buffer.from(rows[0]?.[3] as Uint8Array)).to.deep.equal(values[3]);
    expect(Number(rows[0]?.[4])).to.equal(1.5);
  });

  it("keeps the errors of statements", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    expect(await ask(rowhouse, "select * from nosuch")).to.include({ error: "no such table: nosuch" });
    expect(await ask(rowhouse, "select count(*) from books")).to.deep.equal([1]);
  });
});
