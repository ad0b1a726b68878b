import { mkdtempSync, rmSync } from "node:fs";
import { rename, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../harness/index.js";
import { closeWhenDone } from "../harness/lifetimes.js";
import { until } from "../harness/until.js";
import { openRaw, type RawDatabase } from "../harness/raw-sqlite.js";

const HOUR_MS = 3_600_000;

const library = (journal = "delete", more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    sql: `pragma journal_mode = ${journal}; create table t (id integer primary key, a); insert into t values (1, 'kept')`,
    ...more,
  });

const insert = (rowhouse: TestRowhouse, rows: readonly object[] = [{ a: "new" }]): Promise<TestReply> =>
  rowhouse.post("/library/t/-/insert", { as: "root", json: { rows } });

const page = (rowhouse: TestRowhouse): Promise<TestReply> => rowhouse.get("/library/t.json?_shape=arrays");

/** Another program with the file open. */
async function other(rowhouse: TestRowhouse): Promise<RawDatabase> {
  const raw = await openRaw(rowhouse.file());
  closeWhenDone(raw);
  return raw;
}

const count = async (rowhouse: TestRowhouse): Promise<unknown> => (await rowhouse.rows("t")).length;

const soundness = [{ integrity_check: "ok" }];

describe("Another program's lock", () => {
  for (const journal of ["delete", "wal"]) {
    it(`is waited for, then a write is 503 with Retry-After (${journal})`, async () => {
      const rowhouse = await library(journal, { settings: { lock_wait_ms: 300 } });
      const raw = await other(rowhouse);
      await raw.run("begin immediate; insert into t values (2, 'theirs')");
      const started = performance.now();

      const refused = await insert(rowhouse);

      expect([refused.status, refused.headers["retry-after"]]).to.deep.equal([503, "1"]);
      expect(refused.json).to.deep.equal({
        ok: false,
        code: "DATABASE_UNAVAILABLE",
        errors: ["database is locked"],
      });
      expect(performance.now() - started).to.be.at.least(290);

      await raw.run("commit");
      expect((await insert(rowhouse)).status).to.equal(201);
      expect(await count(rowhouse)).to.equal(3);
    });

    it(`that ends in time delays a write only, and reads continue meanwhile (${journal})`, async () => {
      const rowhouse = await library(journal, { settings: { lock_wait_ms: HOUR_MS } });
      const raw = await other(rowhouse);
      await raw.run("begin immediate; insert into t values (2, 'theirs')");

      const writing = [insert(rowhouse), insert(rowhouse), insert(rowhouse)];
      await sleep(150);
      const reading = await page(rowhouse);
      expect([reading.status, reading.json.rows]).to.deep.equal([200, [[1, "kept"]]]);
      await raw.run("commit");

      expect((await Promise.all(writing)).map(({ status }) => status)).to.deep.equal([201, 201, 201]);
      expect(await count(rowhouse)).to.equal(5);
    });
  }

  it("against readers, too, is an answer and no hanging: 503, and pages come again when it is gone", async () => {
    const rowhouse = await library("delete", { settings: { lock_wait_ms: 300 } });
    const raw = await other(rowhouse);
    await raw.run("begin exclusive");

    const refused = await page(rowhouse);
    await raw.run("rollback");
    const again = await page(rowhouse);

    expect([refused.status, refused.headers["retry-after"]]).to.deep.equal([503, "1"]);
    expect(refused.text).to.include("database is locked");
    expect(again.status).to.equal(200);
  });

  it("on the internal database is logged with its name, and not as one on the database of the request", async () => {
    const internal = join(mkdtempSync(join(tmpdir(), "rowhouse-internal-")), "internal.db");
    const rowhouse = await library("delete", { settings: { lock_wait_ms: 300 }, options: { internal } });
    const raw = await openRaw(internal);
    await raw.run("begin immediate");

    const view = { json: { name: "newest", query: "_sort_desc=id" } };
    const refused = await rowhouse.post("/library/t/-/views", { as: "root", ...view });
    await raw.run("rollback");
    await raw.close();

    expect([refused.status, refused.json.errors]).to.deep.equal([503, ["database is locked"]]);
    expect(rowhouse.logged.join("\n")).to.include("POST /library/t/-/views: _internal: database is locked");
    rmSync(dirname(internal), { recursive: true });
  });

  it("as a reader of the write-ahead log does not block writes", async () => {
    const rowhouse = await library("wal");
    const raw = await other(rowhouse);
    await raw.run("begin; select count(*) from t");
    await raw.all("select * from t");

    for (let turn = 0; turn < 20; turn += 1) expect((await insert(rowhouse)).status).to.equal(201);

    expect((await page(rowhouse)).json.rows).to.have.length(21);
    await raw.run("commit");
  });
});

describe("A database file that is emptied", () => {
  for (const journal of ["delete", "wal"]) {
    it(`is unavailable until it has content again, and its tables are not missing (${journal})`, async () => {
      const rowhouse = await library(journal);
      const file = rowhouse.file();
      const copy = `${file}.copy`;
      expect((await page(rowhouse)).status).to.equal(200);
      await rowhouse.rowhouse.database("library").backup?.copyTo(copy);
      const emptied = { ok: false, code: "DATABASE_UNAVAILABLE", errors: ["The database file was emptied."] };

      await truncate(file, 0);
      // SQLite itself may notice first that a part of the file is missing.
      await until(async () => (await page(rowhouse)).json.error === emptied.errors[0]);

      expect((await page(rowhouse)).status).to.equal(503);
      expect((await insert(rowhouse)).json).to.deep.equal(emptied);
      expect((await rowhouse.get("/-/ready")).status).to.equal(503);
      await rename(copy, file);
      await until(async () => (await page(rowhouse)).status === 200);
      expect((await page(rowhouse)).json)
        .to.have.property("rows")
        .that.deep.equals([[1, "kept"]]);
    });
  }

  it("may be empty from the start, and gets tables", async () => {
    const rowhouse = await rowhouseFor({ sql: "" });

    const created = await rowhouse.post("/library/-/create", {
      as: "root",
      json: { table: "t", row: { id: 1 }, pk: "id" },
    });

    expect(created.status).to.equal(201);
    expect((await rowhouse.get("/library/t.json?_shape=arrayfirst")).json).to.deep.equal([1]);
  });
});

describe("A file without room", () => {
  /** As on a disk that is full: the file can't grow by more than a few pages. */
  const full: Plugin = definePlugin({
    name: "full",
    prepare_connection: (_rowhouse, { connection }) => connection.exec("pragma max_page_count = 12"),
  });
  const long = { a: "x".repeat(3_000) };

  for (const journal of ["delete", "wal"]) {
    it(`fails the write that does not fit, whole, and no other (${journal})`, async () => {
      const rowhouse = await library(journal, { plugins: [full] });

      const refused = await insert(
        rowhouse,
        Array.from({ length: 50 }, () => long),
      );

      expect(refused.status).to.be.within(400, 599);
      expect(refused.json.errors).to.deep.equal(["database or disk is full"]);
      expect(await count(rowhouse)).to.equal(1);
      expect((await page(rowhouse)).status).to.equal(200);
      expect((await insert(rowhouse)).status).to.equal(201);
      expect(await rowhouse.query("pragma integrity_check")).to.deep.equal(soundness);
    });

    it(`acknowledges only what is stored, however many writes come together (${journal})`, async () => {
      const rowhouse = await library(journal, { plugins: [full] });

      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, index) => insert(rowhouse, [{ id: 100 + index, ...long }])),
      );

      const acknowledged = replies.flatMap(({ status }, index) => (status === 201 ? [100 + index] : []));
      const stored = (await rowhouse.query("select id from t where id >= 100 order by id")).map(
        ({ id }) => id,
      );
      expect(stored).to.deep.equal(acknowledged);
      expect(stored.length).to.be.within(1, 59);
      expect(await rowhouse.query("pragma integrity_check")).to.deep.equal(soundness);
    });
  }

  it("that has become read-only fails writes and nothing else", async () => {
    const readOnly = definePlugin({
      name: "remounted",
      prepare_connection: (_rowhouse, { connection, database }) =>
        database === "library" ? connection.exec("pragma query_only = on") : undefined,
    });
    const rowhouse = await library("delete", { plugins: [readOnly] });

    const refused = await insert(rowhouse);

    expect(refused.status).to.equal(403);
    expect(refused.json.errors).to.deep.equal(["Database file is read-only"]);
    expect((await page(rowhouse)).json.rows).to.deep.equal([[1, "kept"]]);
  });
});
