import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { openRaw } from "../../../harness/raw-sqlite.js";
import { sqliteFile } from "../open-sqlite.js";

const SCRIPT = `
  create table open (id integer primary key, a); create index open_a on open (a);
  create table secret (id integer primary key, a); create index secret_a on secret (a);
  create view window as select a from secret;
  create view view_of_view as select * from window;
  create virtual table secret_fts using fts5(a, content="secret");
  create view search as select rowid from "secret_fts";
  create virtual table words using fts5vocab(secret_fts, row);
  create table log (a); create trigger logs after insert on open begin insert into log select a from secret; end`;

const unavailable = (): string => "unavailable";

describe("what a statement touches", () => {
  let database: Database;
  let path: string;
  beforeEach(async () => {
    ({ database, path } = await sqliteFile(SCRIPT));
  });

  const reads: readonly (readonly [sql: string, tables: readonly string[]])[] = [
    ["select 1", []],
    ["select * from open", ["open"]],
    ["select a from window", ["secret"]],
    ["select a from view_of_view", ["secret"]],
    ["select count(*) from secret", ["secret"]],
    ["select a from secret where a > 'x'", ["secret"]],
    ["select (select max(a) from secret) from open", ["open", "secret"]],
    ["select 1 from open where exists (select 1 from secret)", ["open", "secret"]],
    ["with x as (select * from secret) select * from x, open", ["open", "secret"]],
    ["with constructor as (select * from secret) select * from constructor", ["secret"]],
    ["select * from open union select * from secret", ["open", "secret"]],
    ["values (1), ((select a from secret))", ["secret"]],
    ["select * from secret_fts where secret_fts match 'x'", ["secret", "secret_fts"]],
    ["select * from 'secret_fts'", ["secret", "secret_fts"]],
    ["select * from search", ["secret", "secret_fts"]],
    ["select term from words", ["secret", "secret_fts", "words"]],
    ["select * from json_each('[1]')", []],
    ["select * from pragma_table_info('secret')", ["pragma_table_info"]],
    ["select sql from sqlite_schema", ["sqlite_schema"]],
    ["select sql from sqlite_master", ["sqlite_schema"]],
  ];
  for (const [sql, tables] of reads) {
    it(`is found for ${sql}`, async () => {
      const { kind, reads: found } = await database.analyse(sql);

      expect(kind).to.equal("select");
      expect([...(found ?? ["unknown"])].toSorted()).to.deep.equal(tables);
    });
  }

  it("includes what triggers do", async () => {
    const { writes, reads: found } = await database.analyse("insert into open (a) values (1)");

    expect([...(writes ?? [])].toSorted()).to.deep.equal(["log", "open"]);
    expect(found).to.include("secret");
  });

  it("is unknown for tables outside of the main file", async () => {
    const { kind, reads: found, writes } = await database.analyse("select * from sqlite_temp_schema");

    expect([kind, found, writes]).to.deep.equal(["select", null, null]);
  });

  it("includes virtual tables that are written", async () => {
    const { kind, writes } = await database.analyse("insert into secret_fts (a) values ('x')");

    expect([kind, writes]).to.deep.equal(["insert", ["secret_fts", "secret"]]);
  });

  it("includes a virtual table with the name of a function", async () => {
    const { database: own } = await sqliteFile("create virtual table json_tree using fts5(a)");

    expect((await own.analyse("select * from json_tree")).reads).to.deep.equal(["json_tree"]);
  });

  const kinds: readonly (readonly [sql: string, kind: string])[] = [
    ["with x as (select 1) delete from open", "delete"],
    ["replace into open values (1, 2)", "insert"],
    ["drop table open", "schema"],
    ["explain select 1", "explain"],
    ["pragma query_only", "pragma"],
    ["vacuum into 'x'", "unknown"],
    ["select 1; select 2", "unknown"],
    ["select * from nosuch", "unknown"],
    ["", "unknown"],
  ];
  for (const [sql, kind] of kinds) {
    it(`is of kind ${kind}: ${sql}`, async () => {
      expect((await database.analyse(sql)).kind).to.equal(kind);
    });
  }

  it("follows schema changes of other connections", async () => {
    await database.analyse("select * from open");
    await database.write(async (transaction) => {
      await transaction.run("drop table open");
      await transaction.run("create table other (x)");
      await transaction.run("create table open (id)");
    });

    expect((await database.analyse("select * from open")).reads).to.deep.equal(["open"]);
    expect((await database.analyse("select * from other")).reads).to.deep.equal(["other"]);
  });

  it("is never unknown because another program locks the file again and again", async () => {
    const other = await openRaw(path);
    closeWhenDone(other);
    await other.run("pragma busy_timeout = 60000");
    const found = new Set<string>();
    let isLocking = true;
    const clients = [1, 2, 3].map(async () => {
      while (isLocking) {
        found.add(await database.analyse("delete from open").then(({ kind }) => kind, unavailable));
        await sleep(1);
      }
    });

    // Longer than SQLite waits by itself.
    for (let round = 0; round < 5; round += 1) {
      await other.run("begin exclusive");
      await sleep(120);
      await other.run("rollback");
      await sleep(50);
    }
    isLocking = false;
    await Promise.all(clients);

    expect([...found])
      .to.include("delete")
      .and.not.include("unknown");
  });

  it("lists parameters outside of text and comments, each once", async () => {
    const sql =
      "select :a, ':no', \":nor\", [:neither] /* :x */ from open where id = @b or id = $c or id = :a -- :y";

    expect((await database.analyse(sql)).parameters).to.deep.equal(["a", "b", "c"]);
  });
});
