import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Schema, Table } from "rowhouse/plugin-api";
import { openRaw } from "../../../harness/raw-sqlite.js";
import { sqliteFile } from "../open-sqlite.js";

async function schemaOf(script: string): Promise<Schema> {
  const { database } = await sqliteFile(script);
  return database.schema();
}

async function tableOf(script: string, name = "t"): Promise<Table> {
  const table = (await schemaOf(script)).tables.get(name);
  if (table === undefined) throw new Error(`There is no table ${name}`);
  return table;
}

describe("the schema of a SQLite file", () => {
  it("has the declared type of a column", async () => {
    const { columns } = await tableOf(
      "create table t (a integer primary key, b varchar(20) not null default 'x', c, d double, e decimal(5), f blob, " +
        "g as (a + 1), h as (a + 2) stored)",
    );

    expect(columns.map(({ name, type, affinity }) => [name, type, affinity])).to.deep.equal([
      ["a", "INTEGER", "integer"],
      ["b", "varchar(20)", "text"],
      ["c", "", "blob"],
      ["d", "double", "real"],
      ["e", "decimal(5)", "numeric"],
      ["f", "BLOB", "blob"],
      ["g", "", "blob"],
      ["h", "", "blob"],
    ]);
    expect(columns[1]).to.include({ notNull: true, defaultSql: "'x'", primaryKeyPosition: 0 });
    expect(columns.map(({ generated }) => generated)).to.deep.equal([
      ...Array.from({ length: 6 }, () => "no"),
      "virtual",
      "stored",
    ]);
  });

  it("gives ANY no affinity in a STRICT table, and the numeric one in others", async () => {
    const strict = await tableOf("create table t (a any, b int, c any) strict");
    const lax = await tableOf("create table t (a any, b int)");

    expect(strict.columns.map(({ affinity }) => affinity)).to.deep.equal(["blob", "integer", "blob"]);
    expect(lax.columns.map(({ affinity }) => affinity)).to.deep.equal(["numeric", "integer"]);
  });

  it("lists primary keys in the order of their clause", async () => {
    const { primaryKeys } = await tableOf("create table t (a, b, c, primary key (c, a))");

    expect(primaryKeys).to.deep.equal(["c", "a"]);
  });

  it("has the name of the rowid, if there is one", async () => {
    const schema = await schemaOf(
      "create table plain (a); create table taken (rowid text, _rowid_); create table full (rowid, _rowid_, oid); " +
        "create table without (a primary key) without rowid; create view v as select 1",
    );

    expect(
      [...schema.tables.values()].map(({ name, hasRowid, rowidName }) => [name, hasRowid, rowidName]),
    ).to.deep.equal([
      ["plain", true, "rowid"],
      ["taken", true, "oid"],
      ["full", true, null],
      ["without", false, null],
      ["v", false, null],
    ]);
  });

  it("lists foreign keys in reverse order of declaration, with the primary key of the target by default", async () => {
    const schema = await schemaOf(
      "create table makers (id integer primary key, x, y, unique (x, y)); " +
        "create table t (a references makers, b, c, d references missing(z), " +
        "foreign key (b, c) references MAKERS (x, y) on delete cascade)",
    );

    expect(schema.tables.get("t")?.foreignKeys).to.deep.equal(
      [
        {
          columns: ["b", "c"],
          otherTable: "makers",
          otherColumns: ["x", "y"],
          onDelete: "CASCADE",
          onUpdate: "NO ACTION",
        },
        {
          columns: ["d"],
          otherTable: "missing",
          otherColumns: ["z"],
          onDelete: "NO ACTION",
          onUpdate: "NO ACTION",
        },
        {
          columns: ["a"],
          otherTable: "makers",
          otherColumns: ["id"],
          onDelete: "NO ACTION",
          onUpdate: "NO ACTION",
        },
      ].toSorted(
        (left, right) => order.indexOf(left.columns[0] ?? "") - order.indexOf(right.columns[0] ?? ""),
      ),
    );
    expect(schema.tables.get("makers")?.incoming).to.have.length(2);
    expect(schema.tables.get("makers")?.incoming).to.deep.include({
      columns: ["id"],
      otherTable: "t",
      otherColumns: ["a"],
    });
  });

  it("lists indexes and triggers", async () => {
    const { indexes, triggers } = await tableOf(
      "create table t (a primary key, b unique, c); create index some on t (c, a + 1) where c > 0; " +
        "create trigger fires after delete on T begin select 1; end",
    );

    const named = indexes.find(({ name }) => name === "some");
    expect(named).to.deep.include({ unique: false, origin: "c", partial: true, columns: ["c", null] });
    expect(named?.sql).to.match(/^CREATE INDEX some/i);
    expect(indexes.map(({ origin }) => origin).toSorted()).to.deep.equal(["c", "pk", "u"]);
    expect(triggers.map(({ name }) => name)).to.deep.equal(["fires"]);
  });

  it("stays whole when a view is broken", async () => {
    const schema = await schemaOf(
      "create table t (a); create table gone (b); create view v as select * from gone; drop table gone",
    );

    expect(schema.tables.get("v")).to.deep.include({ kind: "view", columns: [] });
    expect(schema.tables.get("t")?.columns.map(({ name }) => name)).to.deep.equal(["a"]);
  });

  it("has tables and columns of any name", async () => {
    const names = [
      'a"b',
      "a'b",
      "a]b",
      "a`b",
      "a;drop table x",
      "a--",
      "a/*",
      "a\nb",
      "😀",
      "x".repeat(1000),
      "",
      "__proto__",
    ];
    const script = names.map(
      (name) => `create table "${name.replaceAll('"', '""')}" ("${name.replaceAll('"', '""')}");`,
    );

    const schema = await schemaOf(script.join("\n"));

    expect([...schema.tables.keys()]).to.deep.equal(names);
    expect([...schema.tables.values()].map(({ columns }) => columns[0]?.name)).to.deep.equal(names);
  });

  it("can't be changed by who got it", async () => {
    const table = await tableOf("create table t (a)");

    expect(() => Object.assign(table, { name: "x" })).to.throw(TypeError);
    expect(() => Object.assign(table.columns, { 0: null })).to.throw(TypeError);
  });

  it("has a table from its creation on, also if the schema before it is still being read", async () => {
    const tables = Array.from({ length: 4000 }, (_, index) => `create table t${index} (a, b, c, d);`).join(
      "\n",
    );
    const { database, path } = await sqliteFile(`pragma journal_mode = wal;\n${tables}`);
    const other = await openRaw(path);
    const missing: number[] = [];

    for (let round = 0; round < 4; round += 1) {
      await other.run(`create table before${round} (a)`);
      const reading = database.schema();
      await sleep(5 * (round + 1));
      await other.run(`create table after${round} (a)`);
      if (!(await database.schema()).tables.has(`after${round}`)) missing.push(round);
      await reading;
    }

    await other.close();
    expect(missing).to.deep.equal([]);
  });

  it("is read in a time that grows with the number of tables, however their references are spelled", async () => {
    const tables = Array.from(
      { length: 3000 },
      (_, index) => `create table Table${index} (a references Last);`,
    );
    const { database } = await sqliteFile(`${tables.join("\n")}\ncreate table last (id integer primary key)`);
    const startedMs = performance.now();

    const schema = await database.schema();

    expect(performance.now() - startedMs).to.be.below(1_500);
    expect(schema.tables.get("last")?.incoming).to.have.length(3000);
  });
});

const order = ["b", "d", "a"];

describe("full-text tables", () => {
  const spellings = [
    'content="docs"',
    "content='docs'",
    "content=[docs]",
    "content=`docs`",
    "content=docs",
    "CONTENT = docs",
    'content="DOCS"',
  ];
  for (const module of ["fts4", "fts5"]) {
    // The older modules know no spaces around the equals sign.
    const understood = spellings.filter((spelling) => module === "fts5" || !spelling.includes(" "));
    for (const spelling of understood) {
      it(`are found over their content: ${module}(title, ${spelling})`, async () => {
        const table = await tableOf(
          `create table docs (title); create virtual table docs_fts using ${module.toUpperCase()}(title, ${spelling})`,
          "docs",
        );

        expect(table.fullText).to.deep.equal({ table: "docs_fts", contentTable: "docs", module });
      });
    }
  }

  it("are found over names with every odd character", async () => {
    const table = await tableOf(
      `create table "it's ""x"" %_" (title); create virtual table i using fts5(title, content="it's ""x"" %_")`,
      `it's "x" %_`,
    );

    expect(table.fullText?.table).to.equal("i");
  });

  it("are the first ones of their content", async () => {
    const table = await tableOf(
      "create table docs (title, body); create virtual table one using fts5(title, content=docs); " +
        "create virtual table two using fts5(body, content=docs)",
      "docs",
    );

    expect(table.fullText?.table).to.equal("one");
  });

  it("without a content table are their own index", async () => {
    const schema = await schemaOf(
      "create virtual table notes using fts5(body); create virtual table bare using fts5(body, content='')",
    );

    expect(schema.tables.get("notes")?.fullText).to.deep.equal({
      table: "notes",
      contentTable: null,
      module: "fts5",
    });
    expect(schema.tables.get("bare")?.fullText?.contentTable).to.equal(null);
  });

  it("have shadow tables, which differ from tables with similar names", async () => {
    const schema = await schemaOf(
      "create virtual table docs using fts5(body); create virtual table docs_fts using fts4(body); " +
        "create table docs_other (a); create virtual table boxes using rtree(id, a, b)",
    );
    const kinds = Object.fromEntries(
      [...schema.tables.values()].map(({ name, kind, shadowOf, module }) => [
        name,
        [kind, shadowOf ?? module],
      ]),
    );

    expect(kinds).to.deep.include({
      docs: ["virtual", "fts5"],
      docs_data: ["shadow", "docs"],
      docs_fts: ["virtual", "fts4"],
      docs_fts_segments: ["shadow", "docs_fts"],
      docs_other: ["table", null],
      boxes: ["virtual", "rtree"],
      boxes_node: ["shadow", "boxes"],
    });
  });

  it("list their hidden columns", async () => {
    const { columns } = await tableOf("create virtual table t using fts5(body)");

    expect(columns.map(({ name, hidden }) => [name, hidden])).to.deep.equal([
      ["body", false],
      ["t", true],
      ["rank", true],
    ]);
  });
});
