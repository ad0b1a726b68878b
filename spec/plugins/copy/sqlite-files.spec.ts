import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { buildDatabase, openRaw } from "../../harness/raw-sqlite.js";
import { until } from "../../harness/until.js";
import { launcher } from "../../cli/command.js";
import { copy, rowsOf } from "./run-copy.js";

const SCRIPT = `
create table keys (k text primary key, v text unique);
insert into keys values ('a', 'x'), (x'61', 'y'), (x'ff00', x'ff'), ('b', x'78');
create table mixed (id integer primary key, i integer, r real, n numeric, b blob, none, t text,
  c varchar(10) collate nocase default 'q', d default 1.5);
insert into mixed values (1, 'abc', 'x', 'y', 'text', 'text', 't', 'T', 'u'),
  (2, 1.5, 2, 3.0, 1, '12', x'00', x'ff', null),
  (3, x'61', -0.0, 9e999, 1.0, 12.0, null, null, -9e999),
  (4, 9223372036854775807, 1e300, -9223372036854775808, null, 9007199254740993, char(0) || 'a', '', 0.1);
create table loose (k int primary key, v); insert into loose values (null, 1), (null, 2), ('s', x'01');
create table strict_ones (k int primary key, v any) strict;
insert into strict_ones values (1, '12'), (2, 12), (3, x'3132'), (4, 12.0);
create table pairs (a text, b, primary key (a, b)) without rowid;
insert into pairs values ('1', '1'), ('1', 1.5), ('1', x'31');
create table malformed (k text primary key, v, b blob, n numeric, i integer);
insert into malformed values (cast(x'ff' as text), cast(x'c3' as text), cast(x'00ff' as text), cast(x'61ff' as text), 1),
  (cast(x'fe' as text), cast(x'e282' as text), cast(x'80' as text), cast(x'c180' as text), cast(x'eda080' as text)),
  (char(65533), x'ff', 'é' || char(0) || cast(x'f0' as text), char(65279) || 'ü', cast(x'3180' as text));
create table loud (id integer primary key, a, twice as (a + a), tag generated always as (a || 'x') stored);
insert into loud (a) values (5), (x'61'), (null), ('é');
create table counted (id integer primary key autoincrement, b blob default x'00ff', r text collate rtrim unique,
  made text default (strftime('%Y', 'now')), check (length(r) < 9)) ;
insert into counted (r) values ('a'), ('b'); delete from counted where id = 2;
create table emptied (id integer primary key autoincrement); insert into emptied values (9); delete from emptied;
create unique index caseless on counted (r collate nocase) where id > 0;
create table log (line text);
create trigger logged after insert on counted begin insert into log values (new.r || ';'); end;
create view lines as select line, "line" || 'x' as x from log;
create trigger viewed instead of insert on lines begin insert into log values (new.line); end;
create virtual table docs using fts5(t, content='mixed', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
insert into docs (docs) values ('rebuild');`;

const TABLES: Readonly<Record<string, readonly string[]>> = {
  keys: ["k", "v"],
  mixed: ["id", "i", "r", "n", "b", "none", "t", "c", "d"],
  loose: ["k", "v"],
  strict_ones: ["k", "v"],
  pairs: ["a", "b"],
  malformed: ["k", "v", "b", "n", "i"],
  counted: ["id", "b", "r", "made"],
  loud: ["id", "a", "twice", "tag"],
};

describe("rowhouse copy of a SQLite file to another one", () => {
  let folder: string;
  let printed: string;
  const file = (name: string): string => join(folder, name);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-copy-"));
    await buildDatabase(file("from.db"), SCRIPT);
    printed = await copy(file("from.db"), file("to.db"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("has equal counts and checksums, and carries all of it", () => {
    expect(printed).to.equal("Copied 10 tables with 26 rows; counts and checksums are equal.\n");
  });

  for (const [table, columns] of Object.entries(TABLES)) {
    it(`keeps the storage class and the bits of each value of ${table}`, async () => {
      const values = columns.map((name) => `typeof(${name}) || ' ' || quote(${name}) as ${name}`);
      const sql = `select ${values.join(", ")} from ${table} order by ${columns.map((_, place) => place + 1).join()}`;

      expect(await rowsOf(file("to.db"), sql)).to.deep.equal(await rowsOf(file("from.db"), sql));
    });
  }

  it("keeps the statements of tables, indexes, triggers, views and searches", async () => {
    const sql = "select type, name, sql from sqlite_schema order by type, name";

    expect(await rowsOf(file("to.db"), sql)).to.deep.equal(await rowsOf(file("from.db"), sql));
  });

  it("assigns no key again, and searches with the same tokenizer", async () => {
    const sql = "select name, seq from sqlite_sequence order by name";
    expect(await rowsOf(file("to.db"), sql)).to.deep.equal([
      { name: "counted", seq: 2 },
      { name: "emptied", seq: 9 },
    ]);
    const found = "select rowid from docs where docs match 'texts'";
    expect(await rowsOf(file("to.db"), found)).to.deep.equal(await rowsOf(file("from.db"), found));
    expect(await rowsOf(file("to.db"), "select line from log")).to.deep.equal([]);
  });

  it("leaves no file behind when it fails, and an existing one as it was", async () => {
    const script =
      "create table k (k integer check (k > 0)); pragma ignore_check_constraints = 1; insert into k values (0);";
    await buildDatabase(file("refused.db"), script);
    await buildDatabase(file("existing.db"), "create table other (a); insert into other values (7);");

    const errors = [
      await failure(copy(file("refused.db"), file("new.db"))),
      await failure(copy(file("refused.db"), file("existing.db"))),
    ];

    for (const { message } of errors) expect(message).to.include("The target can't hold the table k");
    expect((await readdir(folder)).filter((name) => name.startsWith("new"))).to.deep.equal([]);
    expect(await rowsOf(file("existing.db"), "select name from sqlite_master")).to.deep.equal([
      { name: "other" },
    ]);
    expect(await rowsOf(file("existing.db"), "select a from other")).to.deep.equal([{ a: 7 }]);
  });

  it("leaves nothing behind when the copy differs", async () => {
    const script =
      "pragma encoding = 'UTF-16'; create table t (a text, bytes blob as (cast(a as blob))); insert into t values ('é');";
    await buildDatabase(file("utf16.db"), script);
    await buildDatabase(file("kept.db"), "create table other (a); insert into other values (7);");

    const errors = [
      await failure(copy(file("utf16.db"), file("differs.db"))),
      await failure(copy(file("utf16.db"), file("kept.db"))),
    ];

    expect((await readdir(folder)).filter((name) => name.startsWith("differs"))).to.deep.equal([]);
    expect(await rowsOf(file("kept.db"), "select name from sqlite_master")).to.deep.equal([
      { name: "other" },
    ]);
    for (const { message } of errors)
      expect(message).to.equal("The copy of t has other values, and nothing is copied");
  });

  it("copies nothing if the source changes meanwhile", async () => {
    const script =
      "pragma journal_mode = wal; create table t (id integer primary key, v); with recursive n (i) as " +
      "(select 1 union all select i + 1 from n where i < 20000) insert into t select i, 'text' from n;";
    await buildDatabase(file("busy.db"), script);
    await buildDatabase(file("waiting.db"), "create table other (a)");
    const writer = await openRaw(file("busy.db"));
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await writer.all("insert into t (v) values ('new')");
    })();

    const error = await failure(copy(file("busy.db"), file("waiting.db")));
    isDone = true;
    await writing;
    await writer.close();

    expect(error.message).to.equal(
      "t was changed while it was copied, and nothing is copied. Stop the programs that write to the source, or copy a backup of it",
    );
    expect(await rowsOf(file("waiting.db"), "select name from sqlite_master")).to.deep.equal([
      { name: "other" },
    ]);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`leaves no file behind when ${signal} ends it`, async () => {
      await buildDatabase(
        file("large.db"),
        "create table t (id integer primary key, v); with recursive n (i) as " +
          "(select 1 union all select i + 1 from n where i < 200000) insert into t select i, 'text' from n;",
      );
      const names = async (): Promise<readonly string[]> =>
        (await readdir(folder)).filter((name) => name.startsWith(signal));

      const command = spawn(process.execPath, [launcher, "copy", file("large.db"), file(`${signal}.db`)]);
      const ended = once(command, "exit");
      await until(async () => (await names()).some((name) => name.endsWith("-journal")));
      command.kill(signal);

      expect((await ended)[1]).to.equal(signal);
      expect(await names()).to.deep.equal([]);
      await rm(file("large.db"));
    });
  }
});
