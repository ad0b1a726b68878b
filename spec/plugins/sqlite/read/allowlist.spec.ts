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
