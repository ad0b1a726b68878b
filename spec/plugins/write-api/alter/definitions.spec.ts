import { expect } from "chai";
import { rowhouseFor } from "../../../harness/index.js";

/** Definitions as people and programs write them, each of a table `t` that has a column `z`. */
const definitions: readonly string[] = [
  "create table t (z)",
  "CREATE TABLE t(a INT,z TEXT);",
  'create table "t" ("a b" text, [c,d] int, `e``f` real, \'g\' blob, z)',
  "create table main.t (a varchar(10, 2) not null default 'x, y', z)",
  "create table t (a text default (json_array(1, ')', 2)), z text default \"q\")",
  "create table t (a unsigned big int primary key desc, z)",
  "create table t (a integer primary key on conflict replace autoincrement, z)",
  "create table t (a int constraint positive check (a > 0) constraint other check (a != 7), z)",
  "create table t (a text collate nocase unique on conflict ignore, z null)",
  "create table t (a int references o(id) on delete set null on update set default deferrable initially deferred, z)",
  "create table t (a int references o not deferrable, z int default null)",
  "create table t (a int default -1, b int default +2.5e3, c text default current_timestamp, z)",
  "create table t (a int, b int generated always as (a * 2) stored not null, c as (b + 1), z)",
  "create table t (a int, b int, z, primary key (b, a), unique (a), foreign key (a, b) references p (x, y) match full)",
  "create table t (a, z, constraint pk primary key (a) constraint u unique (z) check (a <> 'check (')) without rowid",
  "create table t (a integer primary key, z text) strict, without rowid",
  "create table t ( -- the first, \n a int /* key, (really) */ primary key, -- more\n z text -- last\n )",
  "create table t (rowid text, _rowid_ text, z)",
  'create table t ("check" int, "primary" text, "constraint" text, z)',
  "create table t (a int check (a in (1, 2)) , z text check (z like '%,%' or z is null))",
];

const FACTS = [
  "select name, type, \"notnull\", dflt_value, pk, hidden from pragma_table_xinfo('t')",
  "select * from pragma_foreign_key_list('t')",
  "select \"unique\", origin, partial, (select group_concat(name) from pragma_index_info(i.name)) as c from pragma_index_list('t') i",
  "select strict, wr from pragma_table_list where name = 't'",
];

describe("rebuilding a table for the sake of one column", () => {
  for (const definition of definitions) {
    it(`keeps everything else of ${definition.replace(/\s+/g, " ")}`, async () => {
      const others = "create table o (id integer primary key); create table p (x, y, unique (x, y));";
      const rowhouse = await rowhouseFor({ sql: `${others}${definition}` });
      const facts = (): Promise<unknown> => Promise.all(FACTS.map((sql) => rowhouse.query(sql)));
      const before = await facts();
      const alter = (args: object) =>
        rowhouse.post("/library/t/-/alter", {
          as: "root",
          json: { operations: [{ op: "alter_column", args: { name: "z", ...args } }] },
        });

      const changed = await alter({ default: "changed, (really)" });
      expect(changed.json.errors).to.equal(undefined);
      expect(changed.json.schema).to.include("DEFAULT 'changed, (really)'");
      await alter({ default: null });

      expect(withoutDefaultOfZ(await facts())).to.deep.equal(withoutDefaultOfZ(before));
    });
  }
});

describe("removing NOT NULL from a column", () => {
  it("removes the name that the constraint has, and no other constraint", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (a int constraint given not null constraint positive check (a > 0))",
    });

    const changed = await rowhouse.post("/library/t/-/alter", {
      as: "root",
      json: { operations: [{ op: "alter_column", args: { name: "a", not_null: false } }] },
    });

    expect(changed.json.schema).to.equal('CREATE TABLE "t" (\n   a int constraint positive check (a > 0)\n)');
  });
});

/** The one thing that was changed. */
const withoutDefaultOfZ = (facts: unknown): unknown =>
  (facts as { name?: string }[][]).map((rows) =>
    rows.map((row) => (row.name === "z" ? { ...row, dflt_value: null } : row)),
  );
