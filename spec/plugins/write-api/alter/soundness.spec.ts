import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

type Operation = readonly [op: string, args: object];

const alter = (
  rowhouse: TestRowhouse,
  table: string,
  ...operations: readonly Operation[]
): Promise<TestReply> =>
  rowhouse.post(`/library/${table}/-/alter`, {
    as: "root",
    json: { operations: operations.map(([op, args]) => ({ op, args })) },
  });

const key = (table: string): Operation => ["add_foreign_key", { column: "a", fk_table: table }];
const errorsOf = ({ status, json }: TestReply): unknown => [status, json.errors];

describe("The number of operations of an alteration", () => {
  it("is at least one, and limited", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a, b)" });
    const operation = ["reorder_columns", { columns: ["b"] }] as const;
    const many = Array.from({ length: 501 }, () => operation);

    expect(errorsOf(await alter(rowhouse, "t"))).to.deep.equal([400, ['"operations" must not be empty']]);
    expect(errorsOf(await alter(rowhouse, "t", ...many))).to.deep.equal([
      400,
      ["Too many operations, maximum allowed is 500"],
    ]);
    expect((await alter(rowhouse, "t", ...many.slice(1))).status).to.equal(200);
  });
});

describe("Operations that follow one another", () => {
  it("each see what those before have made of the table", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (id integer primary key, a text not null, b); insert into t values (1, 'x', 2)",
    });

    const { status } = await alter(
      rowhouse,
      "t",
      ["alter_column", { name: "a", not_null: false }],
      ["add_column", { name: "n", type: "integer" }],
      ["reorder_columns", { columns: ["n"] }],
      ["rename_column", { name: "b", to: "c" }],
    );

    expect(status).to.equal(200);
    expect(await rowhouse.query("select name, \"notnull\" from pragma_table_info('t')")).to.deep.equal(
      ["n", "id", "a", "c"].map((name) => ({ name, notnull: 0 })),
    );
    expect(await rowhouse.rows("t")).to.deep.equal([{ n: null, id: 1, a: "x", c: 2 }]);
  });

  for (const dropped of ["a", "up"]) {
    it(`leave no value of a dropped column in a new one of its name: ${dropped}`, async () => {
      const rowhouse = await rowhouseFor({
        sql:
          "create table o (id integer primary key); insert into o values (1); " +
          "create table t (a, b, up generated always as (b * 1)); insert into t (a, b) values (1, 1)",
      });

      const { status } = await alter(
        rowhouse,
        "t",
        ["drop_column", { name: dropped }],
        ["add_column", { name: dropped, type: "integer", fk_table: "o" }],
      );

      expect([status, await rowhouse.query(`select ${dropped} as value from t`)]).to.deep.equal([
        200,
        [{ value: null }],
      ]);
    });
  }
});

describe("A renamed table", () => {
  it("may keep its name, and has the last one of several", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a)" });

    expect((await alter(rowhouse, "t", ["rename_table", { to: "t" }])).json.table).to.equal("t");
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["alter-table"]);
    const twice = await alter(rowhouse, "t", ["rename_table", { to: "u" }], ["rename_table", { to: "w" }]);
    expect(twice.json.table).to.equal("w");
  });

  it("is not held up by a trigger and by foreign keys that were unsound before", async () => {
    const rowhouse = await rowhouseFor({
      sql:
        "create table o (id integer primary key); create table t (a references o(id)); insert into t values (7); " +
        "create table log (x); create trigger g after insert on t begin insert into log values (1, 2); end",
    });

    expect((await alter(rowhouse, "t", ["alter_column", { name: "a", type: "integer" }])).status).to.equal(
      200,
    );
    const { status, json } = await alter(rowhouse, "t", ["rename_table", { to: "u" }]);
    expect([status, json.errors]).to.deep.equal([200, undefined]);
  });

  it("is followed by views, also after the table was rebuilt", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a); create view v as select a from t" });

    const { status } = await alter(
      rowhouse,
      "t",
      ["alter_column", { name: "a", not_null: true }],
      ["rename_table", { to: "u" }],
    );

    expect([status, await rowhouse.query("select * from v")]).to.deep.equal([200, []]);
  });

  for (const missing of ["create-table", "drop-table"]) {
    it(`needs ${missing}`, async () => {
      const rowhouse = await rowhouseFor({ sql: "create table t (a)" });
      const all = [
        "view-instance",
        "view-database",
        "view-table",
        "alter-table",
        "create-table",
        "drop-table",
      ];
      const rename = async (restrictAll: readonly string[]): Promise<number> => {
        const token = await rowhouse.rowhouse.service("tokens").createToken("root", { restrictAll });
        const operations = [{ op: "rename_table", args: { to: "u" } }];
        return (await rowhouse.post("/library/t/-/alter", { token, json: { operations, dry_run: true } }))
          .status;
      };

      expect(await rename(all.filter((action) => action !== missing))).to.equal(403);
      expect(await rename(all)).to.equal(200);
    });
  }
});

describe("An alteration", () => {
  for (const event of ["insert", "update", "delete"]) {
    it(`refuses to break a trigger after ${event}`, async () => {
      const rowhouse = await rowhouseFor({
        sql:
          "create table t (a text, b text); create table u (x text); " +
          `create trigger w after ${event} on u begin update t set b = 1; end`,
      });

      expect(errorsOf(await alter(rowhouse, "t", ["drop_column", { name: "b" }]))).to.deep.equal([
        400,
        ["The triggers of u would no longer work: no such column: b"],
      ]);
    });
  }

  it("refuses to break a trigger of the table itself that runs only for some columns", async () => {
    const rowhouse = await rowhouseFor({
      sql:
        "create table t (a text, b text, c text); " +
        "create trigger w after update of c on t begin update t set a = new.b where rowid = new.rowid; end; " +
        "create table u (a text, b text); create trigger x after update of b on u begin select 1; end",
    });
    const dropped: readonly Operation[] = [
      ["alter_column", { name: "a", type: "blob" }],
      ["drop_column", { name: "b" }],
    ];

    expect(errorsOf(await alter(rowhouse, "t", ...dropped))).to.deep.equal([
      400,
      ["The triggers of t would no longer work: no such column: new.b"],
    ]);
    expect(errorsOf(await alter(rowhouse, "u", ...dropped))).to.deep.equal([
      400,
      ["The triggers of u would no longer work: no such column: b"],
    ]);
  });

  it("refuses to break a trigger of a view", async () => {
    const rowhouse = await rowhouseFor({
      sql:
        "create table t (a text, b text); create view v as select a from t; " +
        "create trigger w instead of insert on v begin insert into t (a, b) values (new.a, 'x'); end",
    });

    expect(errorsOf(await alter(rowhouse, "t", ["drop_column", { name: "b" }]))).to.deep.equal([
      400,
      ["The triggers of v would no longer work: table t has no column named b"],
    ]);
  });

  it("refuses to leave rows of another table pointing at nothing, without the names of its columns", async () => {
    const rowhouse = await rowhouseFor({
      sql:
        "create table p (id integer primary key, code integer unique); insert into p values (1, 1); " +
        "create table c (id integer primary key, secret text references p(code)); insert into c values (1, '1')",
    });

    expect(
      errorsOf(await alter(rowhouse, "p", ["alter_column", { name: "code", type: "blob" }])),
    ).to.deep.equal([400, ["Foreign keys of 1 row in c would point at nothing"]]);
  });

  it("keeps the rowids of a table with a column that is named rowid", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (rowid text, a text); insert into t (_rowid_, rowid, a) values (5, 'x', 'y')",
    });

    const { status } = await alter(rowhouse, "t", ["alter_column", { name: "a", not_null: true }]);

    expect([status, await rowhouse.query("select _rowid_ as id, rowid as name, a from t")]).to.deep.equal([
      200,
      [{ id: 5, name: "x", a: "y" }],
    ]);
  });

  it("keeps the rowids of a table whose descending key is none", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (id integer primary key desc, a text); insert into t (rowid, id, a) values (5, 1, 'y')",
    });

    await alter(rowhouse, "t", ["alter_column", { name: "a", not_null: true }]);

    expect(await rowhouse.query("select rowid as place, id from t")).to.deep.equal([{ place: 5, id: 1 }]);
  });

  it("replaces the foreign keys of single columns, and keeps those of several", async () => {
    const rowhouse = await rowhouseFor({
      sql:
        "create table pairs (a integer, b integer, primary key (a, b)); create view shown as select 1 as id; " +
        "create table t (a integer, b integer, foreign key (a, b) references pairs(a, b))",
    });

    expect((await alter(rowhouse, "t", ["set_foreign_keys", { foreign_keys: [] }])).status).to.equal(200);
    expect(await rowhouse.query("select \"from\" from pragma_foreign_key_list('t')")).to.deep.equal([
      { from: "a" },
      { from: "b" },
    ]);
    expect(errorsOf(await alter(rowhouse, "t", key("shown")))).to.deep.equal([
      400,
      ["Operation 0: no such table: shown"],
    ]);
    expect(errorsOf(await alter(rowhouse, "t", key("pairs")))).to.deep.equal([
      400,
      ['Operation 0: "fk_column" is needed: pairs has no primary key of one column'],
    ]);
    expect(errorsOf(await alter(rowhouse, "t", ["set_primary_key", { columns: ["a", "A"] }]))).to.deep.equal([
      400,
      ["Operation 0: A column is named twice"],
    ]);
  });

  it("does not show a definition that names a table which the actor may not view", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table hidden (id integer primary key); create table t (a, b references hidden(id))",
      metadata: {
        databases: {
          library: {
            permissions: { "alter-table": { id: "ann" } },
            tables: { hidden: { allow: { id: "root" } } },
          },
        },
      },
    });

    for (const dry_run of [true, false]) {
      const operations = [{ op: "add_column", args: { name: dry_run ? "c" : "d" } }];
      const { status, text } = await rowhouse.post("/library/t/-/alter", {
        as: "ann",
        json: { operations, dry_run },
      });
      expect([status, text.includes("hidden")], text).to.deep.equal([200, false]);
    }
  });
});
