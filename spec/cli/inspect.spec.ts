import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openRaw } from "../harness/raw-sqlite.js";
import { launcher, workplace } from "./command.js";

describe("rowhouse inspect", () => {
  const place = workplace();

  before(() =>
    place.database(
      "a.db",
      "create table t (id integer primary key); insert into t values (1), (2); create view v as select * from t;",
    ),
  );

  it("prints hash, size and exact counts of tables, indented by two", async () => {
    const { code, stdout } = await place.call(["inspect", "a.db"]);

    const file = readFileSync(join(place.folder, "a.db"));
    const expected = {
      a: {
        hash: createHash("sha256").update(file).digest("hex"),
        size: file.length,
        file: "a.db",
        tables: { t: { count: 2 } },
      },
    };
    expect(stdout).to.equal(`${JSON.stringify(expected, null, 2)}\n`);
    expect(code).to.equal(0);
  });

  it("names the file and the table that it cannot read", async () => {
    await place.database("damaged.db", "create table t (a); insert into t values (randomblob(9000))");
    const damaged = readFileSync(join(place.folder, "damaged.db"));
    writeFileSync(join(place.folder, "damaged.db"), damaged.fill(0xff, 4096));

    const { code, stderr } = await place.call(["inspect", "a.db", "damaged.db"]);

    expect([code, stderr]).to.deep.equal([
      1,
      "Error: Could not count the rows of t in damaged.db: database disk image is malformed\n",
    ]);
    const copied = await place.call(["copy", "damaged.db", "copied.db"]);
    expect(copied.stderr).to.equal("Error: Could not copy the table t: database disk image is malformed\n");
    const saved = await place.call(["backup", "damaged.db", "saved.db"]);
    expect(saved.stderr).to.match(/^Error: The copy of damaged/);
  });

  it("lists missing indexes as SQL, none after it ran", async () => {
    const schema =
      'create table "a\nb" (id integer primary key); create table c (x references "a\nb", y, z);';
    await place.database("advised.db", schema);
    const tables = { c: { facets: ["y"], sort_desc: "z" } };
    place.write({ "m.json": { databases: { advised: { tables }, indexed: { tables } } } });
    const advise = ["inspect", "--advise", "-m", "m.json"];

    const { stdout } = await place.call([...advise, "advised.db"]);

    expect(stdout).to.equal(
      [
        "-- advised",
        "-- c: the foreign key x to a b has no index",
        'create index "c_x" on "c"("x");',
        "-- c: the facet y has no index",
        'create index "c_y" on "c"("y");',
        "-- c: the sort column z has no index",
        'create index "c_z" on "c"("z");',
        "",
      ].join("\n"),
    );
    await place.database("indexed.db", schema + stdout);
    const again = await place.call([...advise, "indexed.db"]);
    expect(again.stdout).to.equal("-- indexed: no missing index was found\n");
  });

  it("and serve -i warn of changes in a write-ahead log, which immutable files are read without", async () => {
    const at = (name: string): string => join(place.folder, name);
    const writer = await openRaw(at("live.db"));
    await writer.run("pragma journal_mode = wal; create table t (a); insert into t values (1)");
    for (const ending of ["", "-wal"]) copyFileSync(at(`live.db${ending}`), at(`logged.db${ending}`));
    await writer.close();

    const inspected = await place.call(["inspect", "logged.db"]);
    const served = await place.call(["-i", "logged.db", "--get", "/logged.json"]);
    const mutable = await place.call(["logged.db", "--get", "/logged/t.json?_shape=arrays"]);

    const warning =
      "Warning: logged.db-wal has changes that are not read, because the file is opened as immutable. " +
      "To move them into the file, run: sqlite3 logged.db 'pragma wal_checkpoint(truncate)'\n";
    expect([inspected.stderr, served.stderr]).to.deep.equal([warning, warning]);
    expect(mutable.stderr).to.equal("");
    expect(JSON.parse(mutable.stdout).rows).to.deep.equal([[1, 1]]);
  });

  it("and serve -i warn of a write that was interrupted, which immutable files are read without undoing", async () => {
    const at = (name: string): string => join(place.folder, name);
    const writer = await openRaw(at("written.db"));
    await writer.run(
      "create table t (a); insert into t with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select randomblob(1000) from n",
    );
    // With hardly any memory the transaction goes to the file before its commit.
    await writer.run("pragma cache_size = 1; begin; update t set a = randomblob(1000)");
    for (const ending of ["", "-journal"]) copyFileSync(at(`written.db${ending}`), at(`torn.db${ending}`));
    await writer.close();

    const inspected = await place.call(["inspect", "torn.db"]);
    const served = await place.call(["-i", "torn.db", "--get", "/torn.json"]);
    const mutable = await place.call(["torn.db", "--get", "/torn/t.json?_shape=arrays&_size=0"]);
    const undone = await place.call(["-i", "torn.db", "--get", "/torn.json"]);

    const warning =
      "Warning: torn.db-journal belongs to a write that was interrupted. It is not undone, because the file is opened " +
      "as immutable. To undo it, run: sqlite3 torn.db 'pragma schema_version'\n";
    expect([inspected.stderr, served.stderr]).to.deep.equal([warning, warning]);
    expect([mutable.stderr, undone.stderr]).to.deep.equal(["", ""]);
  });

  it("does not write its output over a database", async () => {
    const before = readFileSync(join(place.folder, "a.db"));

    const { code, stderr } = await place.call(["inspect", "a.db", "--inspect-file", "a.db"]);

    expect(stderr).to.equal("Error: Could not write a.db: it is a database. Choose another path\n");
    expect(code).to.equal(1);
    expect(readFileSync(join(place.folder, "a.db")).equals(before)).to.equal(true);
  });

  it("leaves the file as it was that it can't write, or no file", async function () {
    if (process.platform === "win32") this.skip();
    place.write({ "full.json": "{}" });
    const command = 'ulimit -f 0; exec "$0" "$1" inspect a.db --inspect-file "$2"';
    for (const [name, left] of [
      ["full.json", ["full.json"]],
      ["none.json", []],
    ] as const) {
      const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, launcher, name], {
        cwd: place.folder,
        encoding: "utf8",
      });

      expect(stderr).to.equal(`Error: Could not write ${name}: EFBIG: file too large, write\n`);
      expect(status).to.equal(1);
      const start = name.slice(0, 4);
      expect(readdirSync(place.folder).filter((found) => found.startsWith(start))).to.deep.equal(left);
    }
    expect(readFileSync(join(place.folder, "full.json"), "utf8")).to.equal("{}");
  });

  it("writes through a link, and to standard output", async () => {
    place.write({ "behind.json": "{}" });
    symlinkSync("behind.json", join(place.folder, "link.json"));

    const linked = await place.call(["inspect", "a.db", "--inspect-file", "link.json"]);
    const command = '"$0" "$1" inspect a.db --inspect-file /dev/stdout | cat';
    const printed = spawnSync("sh", ["-c", command, process.execPath, launcher], {
      cwd: place.folder,
      encoding: "utf8",
    });

    expect([linked.code, printed.stderr]).to.deep.equal([0, ""]);
    expect(printed.stdout).to.equal(readFileSync(join(place.folder, "behind.json"), "utf8"));
    expect(JSON.parse(printed.stdout)).to.have.property("a");
    expect(lstatSync(join(place.folder, "link.json")).isSymbolicLink()).to.equal(true);
  });

  it("names the file that it can't write", async () => {
    const { code, stderr } = await place.call(["inspect", "a.db", "--inspect-file", "missing/counts.json"]);

    expect(stderr).to.equal("Error: Could not write missing/counts.json: No such file or directory\n");
    expect(code).to.equal(1);
  });

  it("writes to a file, which serve takes hashes and counts from", async () => {
    await place.call(["inspect", "a.db", "--inspect-file", "counts.json"]);
    const counts = JSON.parse(readFileSync(join(place.folder, "counts.json"), "utf8"));
    counts.a.hash = "f".repeat(64);
    place.write({ "counts.json": counts });

    const { stdout } = await place.call([
      "-i",
      "a.db",
      "--inspect-file",
      "counts.json",
      "--get",
      "/-/databases.json",
    ]);

    expect(JSON.parse(stdout)).to.have.nested.property("[0].hash", "f".repeat(64));
  });
});
