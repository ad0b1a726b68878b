import type { ReadAllowlist } from "rowhouse/plugin-api/engine";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { failure } from "../../../harness/failures.js";
import { buildDatabase } from "../../../harness/raw-sqlite.js";
import { freshPath, openSqlite } from "../open-sqlite.js";

const MAIN =
  "create table open (id integer primary key, a); insert into open values (1, 'main'); create table secret (a)";
const OTHER =
  "create table shared (id integer primary key, a); insert into shared values (1, 'other'); create table kept (a); " +
  "create view shown as select * from kept";

const only = (...tables: string[]) => ({ tables: new Set(tables), views: new Set<string>() });

describe("a read with an allowlist of tables", () => {
  let database: Database;
  let path: string;
  before(async () => {
    path = await freshPath("library.db");
    const other = await freshPath("other.db");
    await buildDatabase(path, MAIN);
    await buildDatabase(other, OTHER);
    database = await openSqlite(`file:${path}`, { attach: [{ name: "other", path: other }] });
  });

  const allowlist: ReadAllowlist = { ...only("open"), attached: new Map([["other", only("shared")]]) };
  const read = (sql: string) => database.read(sql, {}, { allowlist });

  it("may join what is allowed of attached databases", async () => {
    const { rows } = await read("select o.a, s.a from open o join other.shared s using (id)");

    expect(rows).to.deep.equal([["main", "other"]]);
  });

  const refused = [
    "select * from other.kept",
    "select * from kept",
    "select * from other.shown",
    "select * from secret",
    "select * from other.sqlite_schema",
    "select * from temp.sqlite_schema",
    "select * from other.nosuch",
  ];
  for (const sql of refused) {
    it(`is refused: ${sql}`, async () => {
      expect((await failure(read(sql))).name).to.equal("StatementConfined");
    });
  }

  it("rejects attached databases that it does not list", async () => {
    const nothingAttached: ReadAllowlist = { ...only("open"), attached: new Map() };

    const error = await failure(
      database.read("select * from other.shared", {}, { allowlist: nothingAttached }),
    );

    expect(error.name).to.equal("StatementConfined");
  });

  it("rejects tables of an attached database that it does not list, also if the first one has the name", async () => {
    const [first, second] = [await freshPath("first.db"), await freshPath("second.db")];
    for (const file of [first, second]) await buildDatabase(file, "create table open (a)");
    const both = await openSqlite(`file:${first}`, { attach: [{ name: "second", path: second }] });
    const nothingAttached: ReadAllowlist = { ...only("open"), attached: new Map() };

    const error = await failure(both.read("select * from second.open", {}, { allowlist: nothingAttached }));

    expect(error.name).to.equal("StatementConfined");
  });

  it("follows the schema of other connections", async () => {
    await read("select a from open");
    await buildDatabase(
      path,
      "drop table open; create table later (a); create table open (a); insert into open values ('new')",
    );

    expect((await read("select a from open")).rows).to.deep.equal([["new"]]);
    expect((await failure(read("select a from later"))).name).to.equal("StatementConfined");
  });

  it("leaves its connection as it was, whether it ran or not", async () => {
    await failure(read("select * from secret"));
    await failure(database.read("select abs(-9223372036854775808) from open", {}, { allowlist }));
    for await (const batch of database.stream("select a from open", {}, { allowlist })) {
      expect(batch.rows).to.have.length(1);
    }

    await database.write((transaction) => transaction.run("insert into open values ('written')"));
    expect((await database.read("select count(*) from secret")).rows).to.deep.equal([[0]]);
  });
});

describe("a read with an allowlist of views", () => {
  let database: Database;
  before(async () => {
    const path = await freshPath("library.db");
    await buildDatabase(
      path,
      "create table note (a); insert into note values ('hidden'), ('shown'); " +
        "create table books (id integer primary key, note); insert into books values (1, 'x'); " +
        "create table left_out (a); insert into left_out values ('hidden'); " +
        // SQLite evaluates a subquery after all other conditions that it is merged with.
        "create view inner_list as select a from note where not exists (select 1 from left_out where a = note.a); " +
        "create view listed as select a from inner_list",
    );
    database = await openSqlite(`file:${path}`);
  });

  const allowlist: ReadAllowlist = {
    tables: new Set(["books"]),
    views: new Set(["inner_list", "listed"]),
    attached: new Map(),
  };
  const read = (sql: string) => database.read(sql, {}, { allowlist });

  it("reads what the views show", async () => {
    expect((await read("select a from listed")).rows).to.deep.equal([["shown"]]);
  });

  it("is refused for a hidden table beside a view of it, also if a column has the name of the table", async () => {
    const error = await failure(read("select note.a from note, books, listed"));

    expect(error.name).to.equal("StatementConfined");
  });

  it("evaluates no condition on rows that a view of a view leaves out", async () => {
    const fails = "abs(case a when 'hidden' then -9223372036854775807 - 1 else 1 end)";

    for (const view of ["inner_list", "listed"])
      expect((await read(`select a from ${view} where ${fails} > 0`)).rows, view).to.deep.equal([["shown"]]);
  });
});
