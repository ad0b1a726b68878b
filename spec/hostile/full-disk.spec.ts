import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { launcher } from "../cli/command.js";
import { buildDatabase } from "../harness/raw-sqlite.js";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";

const BALLAST = 300_000;

const library = (journal: string): Promise<TestRowhouse> =>
  rowhouseFor({ sql: `pragma journal_mode = ${journal}; create table t (id integer primary key, a)` });
const insert = (rowhouse: TestRowhouse, id: number, a = "x".repeat(20_000)): Promise<TestReply> =>
  rowhouse.post("/library/t/-/insert", { as: "root", json: { row: { id, a } } });
const exported = async (rowhouse: TestRowhouse): Promise<unknown[]> =>
  (await rowhouse.get("/library/t.csv?_stream=on&_col=id", { as: "root" })).text.split("\r\n").slice(1, -1);
const soundness = [{ integrity_check: "ok" }];

/** False where the system does not let us. */
function mounts(...args: readonly string[]): boolean {
  try {
    execFileSync("mount", args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function fillUp(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(16_000_000));
  } catch {
    // A part of it was written.
  }
}

const AN_OLD_ENTRY = `insert into audit_log (created, event, details)
  values ('2000-01-01T00:00:00.000Z', 'logout', '{}')`;

const command = (...words: readonly string[]) =>
  spawnSync(process.execPath, [launcher, ...words], { encoding: "utf8" });

/** Runs where the system lets us mount a small file system of our own; nothing else can be filled up safely. */
describe("A disk", function () {
  let disk = "";
  const usual = process.env["TMPDIR"];
  const roomy = tmpdir();

  beforeEach(function () {
    disk = mkdtempSync(join(tmpdir(), "rowhouse-disk-"));
    if (!mounts("-t", "tmpfs", "-o", "size=2m", "tmpfs", disk)) {
      rmSync(disk, { recursive: true });
      return this.skip();
    }
    // Where the harness puts its files.
    process.env["TMPDIR"] = disk;
  });
  afterEach(() => {
    if (process.env["TMPDIR"] !== disk) return;
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
    // Twice where a test failed while it was mounted once more.
    execFileSync("sh", ["-c", 'while umount -l "$0" 2>/dev/null; do :; done', disk]);
    rmSync(disk, { recursive: true });
  });

  for (const journal of ["delete", "wal"]) {
    it(`that fills up fails only the writes that do not fit: exports continue, and so do writes when there is room again (${journal})`, async () => {
      const rowhouse = await library(journal);
      const ballast = join(disk, "ballast");
      writeFileSync(ballast, Buffer.alloc(BALLAST));
      const acknowledged: number[] = [];
      let refused: TestReply | null = null;
      for (let id = 1; id < 200 && refused === null; id += 1) {
        const reply = await insert(rowhouse, id);
        if (reply.status === 201) acknowledged.push(id);
        else refused = reply;
      }

      expect(refused?.status).to.be.within(400, 599);
      expect(await exported(rowhouse)).to.have.length(acknowledged.length);

      rmSync(ballast);
      expect((await insert(rowhouse, 1_000)).status).to.equal(201);
      expect(await exported(rowhouse)).to.have.length(acknowledged.length + 1);
      expect((await rowhouse.query("select id from t")).map(({ id }) => id)).to.deep.equal([
        ...acknowledged,
        1_000,
      ]);
      expect(await rowhouse.query("pragma integrity_check")).to.deep.equal(soundness);
    });

    it(`that becomes read-only fails writes, and nothing is lost once it is not any more (${journal})`, async function () {
      const rowhouse = await library(journal);
      expect((await insert(rowhouse, 1)).status).to.equal(201);
      // What is open for writing keeps a file system from being remounted, but not another view of it.
      if (!mounts("--bind", disk, disk) || !mounts("-o", "remount,bind,ro", disk)) return this.skip();
      const tried = await insert(rowhouse, 2);
      const page = await rowhouse.get("/library/t.json", { as: "root" });
      execFileSync("umount", ["-l", disk]);

      // A write-ahead log stays open, and may still be written to.
      if (journal === "delete") expect(tried.status).to.equal(503);
      expect(page.status).to.equal(200);
      expect((await insert(rowhouse, 3)).status).to.equal(201);
      expect((await rowhouse.query("select id from t")).map(({ id }) => id)).to.deep.equal(
        tried.status === 201 ? [1, 2, 3] : [1, 3],
      );
      expect(await rowhouse.query("pragma integrity_check")).to.deep.equal(soundness);
    });
  }

  it("that is read-only at the first write, and later is not, fails only the writes meanwhile", async function () {
    const rowhouse = await library("delete");
    if (!mounts("--bind", disk, disk) || !mounts("-o", "remount,bind,ro", disk)) return this.skip();
    const refused = await insert(rowhouse, 1);
    execFileSync("umount", ["-l", disk]);

    expect(refused.status).to.be.oneOf([403, 503]);
    expect((await insert(rowhouse, 2)).status).to.equal(201);
  });

  it("with no room for a checkpoint fails no write that the log has taken", async () => {
    const rowhouse = await library("wal");
    const ballast = join(disk, "ballast");
    // Changing the same row over and over makes the log grow to where it is put back into the file.
    expect((await insert(rowhouse, 1)).status).to.equal(201);
    const update = (a: string): Promise<TestReply> =>
      rowhouse.post("/library/t/1/-/update", { as: "root", json: { update: { a } } });
    const statuses: number[] = [];
    let last = "";
    for (let turn = 0; turn < 120; turn += 1) {
      const text = String(turn % 10).repeat(9_000);
      if (turn === 60) writeFileSync(ballast, Buffer.alloc(BALLAST));
      const { status } = await update(text);
      statuses.push(status);
      if (status === 200) last = text;
    }

    expect(statuses).to.include(200);
    expect((await rowhouse.rows("t"))[0]?.["a"]).to.equal(last);
    expect(await rowhouse.query("pragma integrity_check")).to.deep.equal(soundness);
  });

  it("without room for temporary files shows pages, without suggested facets, and refuses streams of rows", async function () {
    // SQLite keeps what is smaller in memory.
    if (!mounts("-o", "remount,size=12m", disk)) return this.skip();
    const rowhouse = await rowhouseFor({
      sql: `create table t (id integer primary key, a);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
        insert into t select i, hex(randomblob(100)) from n`,
      metadata: { permissions: { "insert-row": true } },
    });
    const rows = Array.from({ length: 3_000 }, (_, id) =>
      JSON.stringify({ id: id + 100_000, a: "x".repeat(300) }),
    );
    const stream = { body: rows.join("\n"), headers: { "content-type": "application/x-ndjson" } };
    const ballast = join(disk, "ballast");
    fillUp(ballast);

    const page = await rowhouse.get("/library/t.json?_size=1");
    const refused = await rowhouse.post("/library/t/-/insert", stream);

    expect([page.status, page.json.suggested_facets]).to.deep.equal([200, []]);
    expect([refused.status, refused.json.errors]).to.deep.equal([503, ["The disk of the server is full"]]);
    // Nothing was written, so the stream can be sent again.
    expect(refused.json.code).to.equal("DATABASE_UNAVAILABLE");
    rmSync(ballast);
    expect((await rowhouse.get("/library/t.json?_size=1")).json.filtered_table_rows_count).to.equal(20_000);
    expect((await insert(rowhouse, 100_000)).status).to.equal(201);
  });

  it("without room is named by insert and copy, and a copy lacks no index because of it", async () => {
    const outside = mkdtempSync(join(roomy, "rowhouse-large-"));
    try {
      const [large, copied] = [join(outside, "large.db"), join(outside, "copied.db")];
      await buildDatabase(
        large,
        `create table t (a); create index i on t (a);
          with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
          insert into t select hex(randomblob(100)) from n`,
      );
      const [small, rows] = [join(disk, "small.db"), join(outside, "rows.csv")];
      await buildDatabase(small, "create table t (a)");
      writeFileSync(rows, `a\n${"x".repeat(4_000_000)}\n`);

      const staged = command("insert", small, "t", rows);
      process.env["TMPDIR"] = outside;
      const inserted = command("insert", small, "t", rows);
      process.env["TMPDIR"] = disk;
      const toDisk = command("copy", large, join(disk, "large.db"));
      fillUp(join(disk, "ballast"));
      // There is room for the copy, but not for the temporary files of the index.
      const toOutside = command("copy", large, copied);

      const because = "database or disk is full\n";
      expect(staged.stderr).to.equal(`Error: The disk of the folder for temporary files is full: ${disk}\n`);
      expect(inserted.stderr).to.equal(`Error: Could not write ${small}: ${because}`);
      expect(toDisk.stderr).to.equal(
        `Error: Could not copy ${large} to ${join(disk, "large.db")}: ${because}`,
      );
      expect(toOutside.stderr).to.equal(`Error: Could not copy ${large} to ${copied}: ${because}`);
      expect([inserted.status, toDisk.status, toOutside.status]).to.deep.equal([1, 1, 1]);
      expect(readdirSync(outside)).to.deep.equal(["large.db", "rows.csv"]);
      expect(readdirSync(disk)).to.have.members(["small.db", "ballast"]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it("without room for the internal file lets servers start and tokens read, and refuses what must be written", async () => {
    // Every table of the file but that of the tokens is made by the first start.
    const options = { internal: join(disk, "internal.db") };
    const contents = { tables: { books: [{ id: 1 }] }, settings: { audit_retention_days: 1 }, options };
    const first = await rowhouseFor(contents);
    const token = await first.rowhouse.service("tokens").createToken("ann");
    await buildDatabase(options.internal, AN_OLD_ENTRY);
    fillUp(join(disk, "ballast"));

    process.env["TMPDIR"] = roomy;
    const second = await rowhouseFor(contents);
    const read = await second.get("/library/books.json", { token });
    const listed = await second.get("/-/tokens.json", { as: "ann" });
    const created = await second.post("/-/create-token", { as: "ann", form: { expire_type: "" } });

    expect([read.status, listed.status]).to.deep.equal([200, 200]);
    expect(created.status).to.equal(503);
    expect(created.text).to.include("database or disk is full");
    expect(second.logged).to.include(
      "error: Old entries of the log of changes could not be deleted: database or disk is full",
    );
    rmSync(join(disk, "ballast"));
    const later = await second.post("/-/create-token", { as: "ann", form: { expire_type: "" } });
    expect(later.status).to.equal(200);
    expect((await second.get("/library/books.json", { token })).status).to.equal(200);
  });

  it("without room for a backup or a restored file is named, and no part of them remains", async () => {
    const outside = mkdtempSync(join(roomy, "rowhouse-large-"));
    try {
      const large = join(outside, "large.db");
      await buildDatabase(large, "create table t (a); insert into t values (zeroblob(4000000))");
      const [copy, restored] = [join(disk, "copy.db"), join(disk, "restored.db")];

      const backup = command("backup", large, copy);
      const restore = command("restore", large, restored);

      const because = "database or disk is full";
      expect(backup.stderr).to.equal(`Error: Could not write ${copy}: ${because}\n`);
      expect(restore.stderr).to.equal(`Error: Could not write ${restored}: ${because}\n`);
      expect([backup.status, restore.status]).to.deep.equal([1, 1]);
      expect(readdirSync(disk)).to.deep.equal([]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});
