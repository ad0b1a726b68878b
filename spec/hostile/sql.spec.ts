import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const contents = { tables: { books: [{ id: 1, title: "Emma" }], vault: [{ id: 1, pw: "hunter2" }] } };

const ask = (rowhouse: TestRowhouse, sql: string, more = "") =>
  rowhouse.get(`/library.json?_shape=array${more}&sql=${encodeURIComponent(sql)}`);

describe("A condition of the caller's own", () => {
  const CONDITIONS = [
    "1) or (1=1",
    "1=1 union select pw, pw from vault",
    "1; drop table books",
    "1=1)--",
    "id in (select id from vault",
  ];
  for (const condition of CONDITIONS) {
    it(`is refused without execute-sql, and reads only with it: ${condition}`, async () => {
      const open = await rowhouseFor(contents);
      const closed = await rowhouseFor({ ...contents, metadata: { allow_sql: false } });
      const path = `/library/books.json?_where=${encodeURIComponent(condition)}`;

      expect((await closed.get(path)).status).to.equal(403);
      const { status, text } = await open.get(path);
      expect([200, 400]).to.include(status);
      expect(text).not.to.include("hunter2");
      expect(await open.rows("books")).to.have.length(1);
    });
  }
});

describe("?sql=", () => {
  const REFUSED = [
    "attach '/tmp/rowhouse-attached.db' as x",
    "detach main",
    "vacuum into '/tmp/rowhouse-vacuumed.db'",
    "pragma writable_schema=1",
    "pragma query_only=0",
    "begin",
    "insert into books values (2, 'x')",
    "replace into books values (1, 'x')",
    "with x as (select 1) delete from books",
    "with x as (select 1) insert into books select 2, 'x'",
    "with a as (with b as (select 1) select * from b) insert into books select 3, 'x' from a",
    "select 1; drop table books",
    "select 1;;select 2",
    "/* c */ -- c\n insert into books values (2, 'x')",
    "explain insert into books values (2, 'x')",
    "EXPLAIN QUERY PLAN DELETE FROM books",
    "values (1)",
    "\u000bselect 1",
    "\ufeffdelete from books",
    "select 1\0; delete from books",
    "ｓｅｌｅｃｔ 1",
    "select load_extension('x')",
    "select readfile('/etc/passwd')",
    "select writefile('/tmp/x', 'x')",
    "select edit('x')",
    "select fts3_tokenizer('simple', x'00')",
    "select * from sqlite_dbpage",
    "select * from pragma_table_list",
    "select * from pragma_writable_schema",
  ];
  for (const sql of REFUSED) {
    it(`is refused with the files as they were: ${JSON.stringify(sql)}`, async () => {
      const rowhouse = await rowhouseFor(contents);
      const before = readFileSync(rowhouse.file());
      const folder = readdirSync(dirname(rowhouse.file()));

      const { status, text } = await ask(rowhouse, sql);

      expect([400, 403], text.slice(0, 200)).to.include(status);
      expect(readFileSync(rowhouse.file()).equals(before)).to.equal(true);
      expect(readdirSync(dirname(rowhouse.file()))).to.deep.equal(folder);
      expect(
        readdirSync("/tmp").filter((name) => /^rowhouse-(?:attached|vacuumed)/.test(name)),
      ).to.deep.equal([]);
    });
  }

  for (const sql of [
    "select 1 as one;--",
    "select 1 as one;/* */",
    "/* c */select 1 as one",
    "-- c\nselect 1 as one",
    "SeLeCt 1 as one",
  ]) {
    it(`may be dressed as one likes while it is one reading statement: ${JSON.stringify(sql)}`, async () => {
      const { status, text } = await ask(await rowhouseFor(contents), sql);

      expect(status, text).to.equal(200);
      expect(text).to.equal('[{"one": 1}]');
    });
  }

  it("reveals no path of a file to untrusted SQL", async () => {
    const rowhouse = await rowhouseFor(contents);
    const folder = dirname(rowhouse.file());

    for (const sql of [
      "select * from pragma_database_list",
      "select file from pragma_database_list",
      "select * from pragma_function_list limit 1",
    ]) {
      expect((await ask(rowhouse, sql)).text, sql).not.to.include(folder);
    }
  });

  it("binds parameters of any name, and only those it was given", async () => {
    const rowhouse = await rowhouseFor(contents);

    const proto = await ask(
      rowhouse,
      "select :__proto__ as a, :constructor as b, :p0 as c",
      "&constructor=x&p0=y&__proto__=z",
    );
    const many = await ask(
      rowhouse,
      `select ${Array.from({ length: 40_000 }, (_, index) => `:a${index}`).join("+")}`,
    );
    const missing = await ask(rowhouse, "select :_missing");

    expect(proto.status).to.equal(200);
    expect(proto.text).to.equal('[{"a": "z", "b": "x", "c": "y"}]');
    // So many do not fit into an address, and would not be taken from one that is long enough.
    expect([many.status, missing.status]).to.deep.equal([431, 400]);
  });

  it("makes no larger text than a result may hold", async () => {
    const { text } = await ask(await rowhouseFor(contents), "select printf('%.*c', 1000000000, 'x') as x");

    expect(text).to.equal('[{"x": null}]');
  });

  it("reveals nothing hidden through SQLite's own tables if SQL is confined", async () => {
    const rowhouse = await rowhouseFor({
      ...contents,
      settings: { confine_sql: true },
      metadata: { databases: { library: { tables: { vault: { allow: { id: "eve" } } } } } },
    });

    for (const table of [
      "sqlite_schema",
      "sqlite_master",
      "dbstat",
      "sqlite_dbpage",
      "pragma_table_list",
      "vault",
    ]) {
      const { status, text } = await ask(rowhouse, `select * from ${table}`);
      expect(text, table).not.to.match(/vault|hunter2/);
      expect([400, 403], table).to.include(status);
    }
  });

  it("has no magic parameters", async () => {
    const rowhouse = await rowhouseFor(contents);
    for (const name of ["_header_host", "_cookie_rowhouse_actor", "_actor_id", "_now_epoch"]) {
      const { status, text } = await rowhouse.get(
        `/library.json?_shape=array&sql=${encodeURIComponent(`select :${name} as x`)}`,
        { as: "ann" },
      );
      expect(status, text).to.equal(400);
    }
  });
});

describe("A statement that would cost too much", () => {
  const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n)";
  const ENDLESS = [
    `${numbers} select max(i) from n`,
    `${numbers} select count(*) from n a, n b, n c, n d where a.i + b.i + c.i + d.i = 0`,
    `${numbers} select randomblob(1000) as b from n order by b`,
    `${numbers} select i, hex(randomblob(500)) as h from n order by h`,
    `${numbers} select count(*) from n where hex(randomblob(500)) like '%0%0%0%0%0%0%1'`,
  ];
  for (const sql of ENDLESS) {
    it(`ends at the time limit and leaves its connection to the next: ${sql.slice(67, 110)}`, async () => {
      const settings = { sql_time_limit_ms: 300, num_sql_threads: 1 };
      const rowhouse = await rowhouseFor({ ...contents, settings });

      const ended = await ask(rowhouse, sql);
      const next = await ask(rowhouse, "select 1 as one");

      expect(ended.status).to.equal(400);
      expect(ended.text).to.include("SQL query took too long");
      expect(next.status).to.equal(200);
    });
  }

  const TOO_BIG = [
    "select zeroblob(1000000000)",
    "select length(hex(zeroblob(1000000000)))",
    "select group_concat(hex(zeroblob(1000000))) from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select i from n)",
    "select replace(replace(hex(zeroblob(20000000)), '0', '00000000'), '0', '00000000')",
    "with recursive d(t) as (select 'x' union all select t || t from d) select max(length(t)) from d",
  ];
  for (const sql of TOO_BIG) {
    it(`in memory is refused for that, before its time is over: ${sql.slice(0, 60)}`, async () => {
      const { status, json } = await ask(await rowhouseFor(contents), sql);

      expect([status, json.error]).to.deep.equal([400, "string or blob too big"]);
    });
  }

  const PATTERN = "%a".repeat(25_000);
  for (const operator of ["like", "glob"]) {
    it(`by its pattern is refused: ${operator} with 50,000 characters`, async () => {
      const rowhouse = await rowhouseFor(contents);

      const { status } = await rowhouse.request(
        "GET",
        `/library/books.json?title__${operator}=${encodeURIComponent(PATTERN)}`.slice(0, 60_000),
      );

      expect([400, 431]).to.include(status);
    });
  }

  const MONSTROUS: readonly (readonly [what: string, sql: string])[] = [
    ["2,000 nested parentheses", `select ${"-(".repeat(2_000)}1${")".repeat(2_000)}`],
    ["501 terms of a UNION", Array.from({ length: 501 }, () => "select 1").join(" union all ")],
    ["2,001 columns", `select ${Array.from({ length: 2_001 }, () => "1").join(",")}`],
    ["JSON 2,000 levels deep", `select json_extract('${"[".repeat(2_000)}${"]".repeat(2_000)}', '$[0]')`],
  ];
  for (const [what, sql] of MONSTROUS) {
    it(`by its shape is refused: ${what}`, async () => {
      const { status, text } = await ask(await rowhouseFor(contents), sql);

      expect(status, text.slice(0, 200)).to.equal(400);
    });
  }
});
