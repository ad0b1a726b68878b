import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import type { ReadOptions } from "rowhouse/plugin-api/engine";
import { failure } from "../../../harness/failures.js";
import { sqliteFile } from "../open-sqlite.js";

const SCRIPT =
  "create table books (id integer primary key, title text); insert into books values (1, 'Emma')";

describe("untrusted SQL", () => {
  let database: Database;
  let path: string;
  beforeEach(async () => {
    ({ database, path } = await sqliteFile(SCRIPT));
  });

  const ask = (sql: string): ReturnType<Database["read"]> => database.read(sql, {}, { trust: "untrusted" });

  const harmful = [
    "attach '/tmp/x.db' as x",
    "vacuum",
    "vacuum into '/tmp/x.db'",
    "pragma writable_schema = 1",
    "pragma query_only = 0",
    "pragma table_info(books)",
    "explain pragma writable_schema = 1",
    "begin",
    "insert into books values (2, 'x')",
    "replace into books values (1, 'x')",
    "with x as (select 1) delete from books",
    "with x as (select 1) insert into books select 2, 'x'",
    "create temp table x (a)",
    "select 1; delete from books",
    "select 1) ; delete from books; --",
    "select load_extension('x')",
    "select readfile('/etc/passwd')",
    "select writefile('/tmp/x', 'x')",
    "select * from sqlite_dbpage",
    "select 1 from (select 1",
    "select 'unclosed",
    "select 1\0; delete from books",
    "\u000bselect 1",
    "ｓｅｌｅｃｔ 1",
    "",
    ";",
    "-- nothing",
  ];
  for (const sql of harmful) {
    it(`is rejected without a change of the file: ${JSON.stringify(sql)}`, async () => {
      const before = readFileSync(path);

      const error = await failure(ask(sql));

      expect(["InvalidSql", "SqlFailed"]).to.include(error.name);
      expect(readFileSync(path).equals(before)).to.equal(true);
      expect(readdirSync(dirname(path))).to.deep.equal(["library.db"]);
    });
  }

  it("stays untrusted under an unknown trust level, such as the one that version 0.1 had", async () => {
    const options = { trust: "stranger" } as unknown as ReadOptions;

    expect((await failure(database.read("pragma table_info(books)", {}, options))).name).to.equal(
      "InvalidSql",
    );
  });

  it("does not run without the allowlist if it has the name of version 0.1", async () => {
    const options = { confine: { tables: new Set(), views: new Set(), attached: new Map() } } as ReadOptions;

    const error = await failure(database.read("select * from books", {}, options));

    expect(error.message).to.equal("The read option confine is now called allowlist");
  });

  it("cannot remove the limits of its connection with what it may run", async () => {
    await ask("explain query plan select * from books");
    await ask("explain delete from books");
    await ask("select * from pragma_table_info('books')");

    expect((await database.read("pragma query_only")).rows).to.deep.equal([[1]]);
    expect((await ask("select count(*) from books")).rows).to.deep.equal([[1]]);
  });

  it("may contain double-quoted text if there is no such column", async () => {
    const { columns, rows } = await ask('select "no such col"');

    expect({ columns, rows }).to.deep.equal({ columns: ['"no such col"'], rows: [["no such col"]] });
  });

  it("may explain, and learn the columns", async () => {
    expect((await ask("explain query plan select * from books")).columns).to.deep.equal([
      "id",
      "parent",
      "notused",
      "detail",
    ]);
    expect((await ask("explain select 1")).columns).to.include("opcode");
  });

  const tooBig = [
    "select zeroblob(1000000000)",
    "select replace(hex(zeroblob(20000000)), '0', '00000000')",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100) select group_concat(hex(zeroblob(1000000))) from n",
  ];
  for (const sql of tooBig) {
    it(`gets a limited amount of memory: ${sql.slice(0, 60)}`, async () => {
      const error = await failure(ask(sql));

      expect(error.message).to.equal("string or blob too big");
    });
  }

  const tooDeep = [
    `select ${"-(".repeat(2_000)}1${")".repeat(2_000)}`,
    Array.from({ length: 501 }, () => "select 1").join(" union all "),
    `select ${Array.from({ length: 2_001 }, () => "1").join(",")}`,
    `select ${"x".repeat(10_000_000)}`,
    `select ${Array.from({ length: 40_000 }, (_, index) => `:p${index}`).join(",")}`,
    "select 'x' like '" + "%a".repeat(25_000) + "'",
    `select json_extract('${"[".repeat(2_000)}${"]".repeat(2_000)}', '$')`,
  ];
  for (const sql of tooDeep) {
    it(`are rejected if they are too complex: ${sql.slice(0, 30)}… (${sql.length} characters)`, async () => {
      const error = await failure(ask(sql));

      expect(["InvalidSql", "SqlFailed"]).to.include(error.name);
    });
  }

  // What looked back from each piece would need more than the two minutes that a spec may take.
  for (const piece of ["[", "/*", "--", "(", "((1)", "::", "$a(", ";", "1e", "\ufeff"]) {
    it(`are read to their end, of a million characters too: ${piece}`, async () => {
      const error = await failure(ask(`select ${piece.repeat(999_000 / piece.length)}`));

      expect(["InvalidSql", "SqlFailed"]).to.include(error.name);
    });
  }

  it("in an endless sort end at their time limit, and leave their connection to the next", async () => {
    const { database: narrow } = await sqliteFile(SCRIPT, { settings: { num_sql_threads: 1 } });
    const bomb =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select randomblob(1000) as b from n order by b";

    const error = await failure(narrow.read(bomb, {}, { trust: "untrusted", timeLimitMs: 200 }));

    expect(error.name).to.equal("QueryInterrupted");
    expect((await narrow.read("select title from books")).rows).to.deep.equal([["Emma"]]);
  });

  it("meet no functions that a hostile schema calls", async () => {
    const hostile = await sqliteFile(
      "create table t (a); create view v as select * from pragma_database_list; insert into t values (1)",
    );

    const error = await failure(hostile.database.read("select * from v", [], { trust: "untrusted" }));

    expect(error.message).to.match(/unsafe use of virtual table/);
  });
});
