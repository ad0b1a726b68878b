import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { describePostgres } from "../../harness/postgres.js";
import { buildDatabase } from "../../harness/raw-sqlite.js";
import { copy, rowsOf } from "./run-copy.js";

const EQUAL = "counts and checksums are equal";

describePostgres("rowhouse copy of awkward content", (server) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-copy-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const sqlite = async (script: string): Promise<string> => {
    const file = join(folder, "from.db");
    await buildDatabase(file, script);
    return file;
  };

  it("keeps every digit of numbers and NaN, there and back", async () => {
    const from = await server().createDatabase(`
      create table sums (id int primary key, short numeric, long numeric(40, 10), special numeric, part float8);
      insert into sums values (1, 12.50, 123456789012345678901234567890.0123456789, 'NaN', 'NaN'),
        (2, 0.1, 1, 'Infinity', '-Infinity'), (3, null, 12345678901234.5678, 9, 0.5);
      create table no_columns ();`);
    const file = join(folder, "sums.db");
    const to = await server().createDatabase();

    const there = await copy(from, file);
    const back = await copy(file, to);

    expect(there.split("\n").filter((line) => line.startsWith("- "))).to.have.members([
      "- the table no_columns, which has no columns",
      "- sums.long: stored as text: long decimal (2), decimal (1)",
      "- sums.special: stored as text: NaN (1)",
      "- sums.part: stored as text: NaN (1)",
      "- sums: other types in the target: long numeric(40,10)",
    ]);
    expect(there).to.contain(EQUAL);
    expect(back).to.contain(EQUAL);
    const kept = "select short, long, typeof(special) as type, special from sums order by id";
    expect(await rowsOf(file, kept)).to.deep.equal([
      { short: 12.5, long: "123456789012345678901234567890.0123456789", type: "text", special: "NaN" },
      { short: 0.1, long: "1.0000000000", type: "real", special: Infinity },
      { short: null, long: "12345678901234.5678000000", type: "integer", special: 9 },
    ]);
    const sql = "select long::numeric(40, 10)::text as long from sums order by id";
    expect(await server().run(sql, to.split("/").at(-1))).to.deep.equal(
      await server().run(sql, from.split("/").at(-1)),
    );
  });

  it("keeps numbers that are too large or too small for a double as text", async () => {
    const from = await server().createDatabase(`
      create table sums (id int primary key, n numeric);
      insert into sums values (1, 1e400), (2, -1e-400), (3, 12e-310), (4, 1e308), (5, 0), (6, 1e-300), (7, 0.00);`);
    const file = join(folder, "sums.db");
    const to = await server().createDatabase();

    const there = await copy(from, file);
    await copy(file, to);

    expect(there).to.contain("- sums.n: stored as text: long decimal (3), decimal (4)");
    const sql = "select id from sums order by n::numeric, id";
    expect(await server().run(sql, to.split("/").at(-1))).to.deep.equal(
      (await server().run(sql, from.split("/").at(-1))).map((row) => ({ id: String(row["id"]) })),
    );
    const texts = "select length(n) as length, typeof(n) as type from sums order by id";
    expect(await rowsOf(file, `${texts} limit 3`)).to.deep.equal([
      { length: 401, type: "text" },
      { length: 403, type: "text" },
      { length: 312, type: "text" },
    ]);
  });

  it("copies the values of generated columns that another engine would compute differently", async () => {
    const file = await sqlite(`
      create table words (id integer primary key, word text, n numeric, loud text generated always as (upper(word)) stored,
        half numeric generated always as (n / 2) stored, twice integer generated always as (id * 2) stored);
      insert into words (id, word, n) values (1, 'é', 7), (2, 'ab', 2.5);`);
    const to = await server().createDatabase();

    const there = await copy(file, to);

    expect(there).to.contain(EQUAL);
    expect(there).to.contain("words.loud: the values of a generated column are copied, not its expression");
    const rows = await server().run(
      "select loud, half::text, twice::int from words order by id",
      to.split("/").at(-1),
    );
    expect(rows).to.deep.equal([
      { loud: "é", half: "3", twice: 2 },
      { loud: "AB", half: "1.25", twice: 4 },
    ]);
  });

  it("leaves out only those rules that the target can't compute for existing rows, or computes differently", async () => {
    const file = await sqlite(`
      create table sums (id integer primary key, a integer check (a * a > 0), d integer, tag text collate nocase,
        b integer generated always as (a + 1), rest integer generated always as (a % d), twice integer generated always as (id * 2),
        swapped text generated always as (replace(tag, 'a', 'x')), check (10 / d > -1), check (id > 0), check (id < 3));
      insert into sums (id, a, d, tag) values (1, 9223372036854775807, 0, 'A'), (2, 4000000000, 7, 'a');
      pragma ignore_check_constraints = 1; insert into sums (id, a, d) values (3, 1, 1);`);
    const to = await server().createDatabase();
    const database = to.split("/").at(-1);

    const there = await copy(file, to);

    expect(there).to.contain(EQUAL);
    expect(there.split("\n").filter((line) => line.startsWith("- "))).to.deep.equal([
      "- sums: CHECK (a * a > 0): bigint out of range",
      "- sums: CHECK (10 / d > - 1): division by zero",
      "- sums: CHECK (id < 3): existing rows violate it",
      "- sums.b: the expression a + 1: bigint out of range",
      "- sums.rest: the expression a % d: division by zero",
      "- sums.swapped: the expression replace ( tag , 'a' , 'x' ): other values in the target",
    ]);
    const sql = "select b::text, coalesce(rest, -1)::int as rest, twice::int, swapped from sums order by id";
    expect(await server().run(sql, database)).to.deep.equal([
      { b: "9223372036854776000", rest: -1, twice: 2, swapped: "A" },
      { b: "4000000001", rest: 3, twice: 4, swapped: "x" },
      { b: "2", rest: 0, twice: 6, swapped: null },
    ]);
    const refused = await failure(server().run("insert into sums (id) values (0)", database));
    expect(refused.message).to.contain('check constraint "id > 0"');
    const [added] = await server().run(
      "insert into sums default values returning id::int, twice::int",
      database,
    );
    expect(added).to.deep.equal({ id: 4, twice: 8 });
  });

  it("copies the values of generated columns that depend on how an engine writes or computes numbers", async () => {
    const file = await sqlite(`
      create table prices (id integer primary key, price real, mixed numeric, odd numeric, note text, count integer,
        label text generated always as (price || ' EUR'), odd_label text generated always as (odd || '!'), twice real generated always as (price * 2),
        tenth real generated always as (count * 0.1), sum numeric generated always as (mixed + mixed + mixed),
        size integer generated always as (length(note)), number text generated always as (id || '-' || count));
      insert into prices (price, mixed, odd, note, count)
        values (5.0, 0.1, 'x', 'a' || char(0) || 'b', 3), (1e300, 2, 1e300, 'é', 4);`);
    const to = await server().createDatabase();

    const there = await copy(file, to);

    expect(there).to.contain(EQUAL);
    const lost = /(?<=- prices\.)\w+(?=: the values of a generated column are copied, not its expression)/g;
    expect(there.match(lost)).to.deep.equal(["label", "odd_label", "tenth", "sum", "size"]);
  });

  it("copies the values of generated columns that depend on the order of texts", async () => {
    const file = await sqlite(`
      create table words (id integer primary key, word text, size integer,
        early integer generated always as (case when word < 'b' then 1 else 0 end),
        inside integer generated always as (case when 'a' between word and 'b' then 1 else 0 end),
        large integer generated always as (case when size > 1 then 1 else 0 end),
        known integer generated always as (case when word = 'C' then 1 else 0 end));
      insert into words (word, size) values ('C', 1), ('a', 2);`);
    await server().run("create database words template template0 locale_provider icu icu_locale 'en'");

    const there = await copy(file, server().url("words"));

    expect(there).to.contain(EQUAL);
    const lost = /(?<=- words\.)\w+(?=: the values of a generated column are copied, not its expression)/g;
    expect(there.match(lost)).to.deep.equal(["early", "inside"]);
  });

  it("copies the values of generated columns that join booleans and decimals to a text", async () => {
    const from = await server().createDatabase(`
      create table prices (id int primary key, price numeric(10, 2), paid boolean,
        label text generated always as (price || ' EUR') stored, state text generated always as ('paid: ' || paid) stored,
        number text generated always as ('No. ' || id) stored);
      insert into prices values (1, 1.50, true), (2, 2, false);`);

    const there = await copy(from, join(folder, "prices.db"));

    expect(there).to.contain(EQUAL);
    const lost = /(?<=- prices\.)\w+(?=: the values of a generated column are copied, not its expression)/g;
    expect(there.match(lost)).to.deep.equal(["label", "state"]);
  });

  it("keeps texts that the target can't store as bytes, and counts them", async () => {
    const file = await sqlite(`
      create table t (id integer primary key, bad text, nul text, good text);
      insert into t values (1, cast(x'61ff' as text), 'a' || char(0) || 'b', 'é' || char(65533)),
        (2, cast(x'fe' as text), 'ü', null), (3, 'ü', 'c', 'plain');`);
    const to = await server().createDatabase();

    const printed = await copy(file, to);

    expect(printed).to.equal(
      "Copied 1 tables with 3 rows; counts and checksums are equal.\nNot carried:\n" +
        "- t.bad: stored as bytes: text that is not valid UTF-8 (2), text (1)\n" +
        "- t.nul: stored as bytes: text with U+0000 (1), text (2)\n",
    );
    const rows = await server().run(
      "select encode(bad, 'hex') as bad, encode(nul, 'hex') as nul, good from t order by id",
      to.split("/").at(-1),
    );
    expect(rows).to.deep.equal([
      { bad: "61ff", nul: "610062", good: "é\ufffd" },
      { bad: "fe", nul: "c3bc", good: null },
      { bad: "c3bc", nul: "63", good: "plain" },
    ]);
  });

  it("names the kinds and numbers of values that share a column of another type", async () => {
    const file = await sqlite(`
      create table t (id integer primary key, mixed, bytes, numbers);
      insert into t values (1, 'a', x'00', 1), (2, 7, 'b', 1.5), (3, 2.5, 3, null);`);

    const printed = await copy(file, await server().createDatabase());

    expect(printed)
      .to.contain("- t.mixed: stored as text: integer (1), real (1)\n")
      .and.to.contain("- t.bytes: stored as bytes: text (1), integer (1)\n")
      .and.not.to.contain("t.numbers");
  });

  it("makes a key with NULL a unique constraint, and addresses the rows by their rowid", async () => {
    const file = await sqlite(`
      create table keys (k text primary key, v text);
      insert into keys values (null, 'first'), ('b', 'second'), (null, 'third');
      create table pairs (a text, b integer, primary key (a, b)); insert into pairs values ('x', null), ('x', 1);
      create table uses (id integer primary key, k text references keys (k)); insert into uses values (1, 'b');`);
    const to = await server().createDatabase();

    const there = await copy(file, to);
    const back = await copy(to, join(folder, "back.db"));

    expect(there).to.equal(
      "Copied 3 tables with 6 rows; counts and checksums are equal.\nNot carried:\n" +
        "- keys: the primary key (k) is a unique constraint, because it contains NULL\n" +
        "- pairs: the primary key (a, b) is a unique constraint, because it contains NULL\n",
    );
    const database = to.split("/").at(-1);
    expect(await server().run("select rowid::int, k, v from keys order by 1", database)).to.deep.equal([
      { rowid: 1, k: null, v: "first" },
      { rowid: 2, k: "b", v: "second" },
      { rowid: 3, k: null, v: "third" },
    ]);
    for (const sql of ["insert into keys (k) values ('b')", "insert into pairs (a, b) values ('x', 1)"])
      expect((await failure(server().run(sql, database))).message).to.contain("unique constraint");
    expect((await failure(server().run("delete from keys where k = 'b'", database))).message).to.contain(
      "foreign key constraint",
    );
    expect(back).to.contain(EQUAL);
    const sql = "select rowid, k, v from keys";
    expect(await rowsOf(join(folder, "back.db"), sql)).to.deep.equal(await rowsOf(file, sql));
  });

  it("renames columns without a name, and those named like a system column", async () => {
    const file = await sqlite(`
      create table boxes (id integer primary key, xmin real unique, xmax real, "" text, "column" text,
        check (xmax > xmin));
      insert into boxes values (1, 1.5, 2.5, 'unnamed', 'named');
      create index unnamed on boxes ("");
      create table uses (id integer primary key, "xmin" real references boxes (xmin));
      insert into uses values (1, 1.5);
      create view widths as select XMAX - XMIN as width from boxes;`);
    const to = await server().createDatabase();

    const printed = await copy(file, to);

    expect(printed.split("\n").filter((line) => line.startsWith("- "))).to.have.members([
      '- boxes: the column "xmin" is named "xmin_"',
      '- boxes: the column "xmax" is named "xmax_"',
      '- boxes: the column "" is named "column_"',
      '- uses: the column "xmin" is named "xmin_"',
      "- boxes: CHECK (xmax > xmin)",
      "- the view widths: no column can be named XMAX in the target",
    ]);
    const database = to.split("/").at(-1);
    expect(await server().run('select xmin_, xmax_, column_, "column" from boxes', database)).to.deep.equal([
      { xmin_: 1.5, xmax_: 2.5, column_: "unnamed", column: "named" },
    ]);
    const [index] = await server().run(
      "select indexdef as sql from pg_indexes where indexname = 'unnamed'",
      database,
    );
    expect(index?.["sql"]).to.contain("(column_)");
    expect((await failure(server().run("update uses set xmin_ = 9", database))).message).to.contain(
      "foreign key constraint",
    );
  });

  it("names tables that SQLite can't have", async () => {
    const from = await server().createDatabase(
      "create table sqlite_notes (a int); insert into sqlite_notes values (1); create table empty (); create table t (a int)",
    );

    const printed = await copy(from, join(folder, "reserved.db"));

    expect(printed.split("\n").filter((line) => line.startsWith("- "))).to.have.members([
      "- the table sqlite_notes, whose name SQLite reserves",
      "- the table empty, which has no columns",
    ]);
  });

  it("copies each row once from tables with inheritance and with partitions", async () => {
    const from = await server().createDatabase(`
      create table parent (id int primary key, line text); insert into parent values (1, 'own');
      create table child (more int) inherits (parent); insert into child values (2, 'child', 7);
      create table grandchild () inherits (child); insert into grandchild values (3, 'grandchild', 8);
      create table parts (id int primary key, line text) partition by range (id);
      create table low partition of parts for values from (0) to (10);
      create table high partition of parts for values from (10) to (20) partition by range (id);
      create table highest partition of high for values from (10) to (20);
      insert into parts values (5, 'low'), (15, 'high');`);
    const file = join(folder, "inherited.db");

    const printed = await copy(from, file);

    expect(printed).to.equal(
      "Copied 4 tables with 5 rows; counts and checksums are equal.\nNot carried:\n" +
        "- parent: its rows are copied without those of tables that inherit from it: child\n" +
        "- child: its rows are copied without those of tables that inherit from it: grandchild\n",
    );
    const ids = (table: string): Promise<readonly unknown[]> =>
      rowsOf(file, `select id from ${table} order by id`);
    expect(await ids("parent")).to.deep.equal([{ id: 1 }]);
    expect(await ids("child")).to.deep.equal([{ id: 2 }]);
    expect(await ids("grandchild")).to.deep.equal([{ id: 3 }]);
    expect(await ids("parts")).to.deep.equal([{ id: 5 }, { id: 15 }]);
  });

  it("names tables and rows that the login can't read", async () => {
    const from = await server().createDatabase(`
      create role reader login; grant usage on schema public to reader;
      create table shown (id int primary key); insert into shown values (1);
      create table hidden (id int primary key); insert into hidden values (1);
      create table parts (id int primary key) partition by range (id);
      create table low partition of parts for values from (0) to (10);
      create table policed (id int primary key, owner text); insert into policed values (1, 'reader'), (2, 'ann');
      alter table policed enable row level security;
      create policy own on policed using (owner = current_user);
      grant select on shown, policed, parts to reader;`);
    const asReader = from.replace("rowhouse@", "reader@");

    const limited = await copy(asReader, join(folder, "limited.db"));
    const complete = await copy(from, join(folder, "complete.db"));

    expect(limited).to.equal(
      "Copied 3 tables with 2 rows; counts and checksums are equal.\nNot carried:\n" +
        "- the table hidden, which this login may not read\n" +
        "- policed: rows that its policies hide from this login\n",
    );
    expect(complete).to.equal("Copied 4 tables with 4 rows; counts and checksums are equal.\n");
  });

  it("keeps the sign of zero, as text beside integers", async () => {
    const from = await sqlite(
      `create table zeros (id integer primary key, mixed, reals);
       insert into zeros values (1, 1, 0.5), (2, -0.0, -0.0), (3, 0.0, 0.0)`,
    );
    const to = await server().createDatabase();

    const report = await copy(from, to);

    expect(report).to.contain(EQUAL);
    expect(report).to.contain("zeros.mixed: stored as text: integer (1), negative zero (1), real (1)");
    const stored = await server().run(
      "select mixed, reals::text as reals from zeros order by id",
      to.split("/").at(-1),
    );
    expect(stored).to.deep.equal([
      { mixed: "1", reals: "0.5" },
      { mixed: "-0.0", reals: "-0" },
      { mixed: "0.0", reals: "0" },
    ]);
  });

  it("names the table whose columns or keys the target can't tell apart", async () => {
    const names = await server().createDatabase('create table "Odd" (id int primary key, "ID" int)');
    const keys = await sqlite(
      "create table keys (k text primary key); insert into keys values ('a'), (x'61')",
    );
    const to = await server().createDatabase();

    const ofNames = await failure(copy(names, join(folder, "names.db")));
    const ofKeys = await failure(copy(keys, to));

    expect(ofNames.message).to.equal("The target can't hold the table Odd: duplicate column name: ID");
    expect(ofKeys.message).to.equal("The target can't hold the table keys: UNIQUE constraint failed: keys.k");
  });

  for (const [what, script, named] of [
    [
      "table",
      `create table ${"t".repeat(64)} (id integer primary key); insert into ${"t".repeat(64)} values (1)`,
      `The name ${"t".repeat(64)} is longer than 63 bytes`,
    ],
    [
      "column",
      `create table t (${"c".repeat(64)} text)`,
      `The name ${"c".repeat(64)} is longer than 63 bytes`,
    ],
  ] as const) {
    it(`refuses a ${what} whose name the target would cut, and leaves nothing behind`, async () => {
      const to = await server().createDatabase();

      const error = await failure(copy(await sqlite(script), to));

      expect(error.message).to.contain("The target can't hold the table t").and.to.contain(named);
      const left = await server().run(
        "select 1 from pg_tables where schemaname = 'public'",
        to.split("/").at(-1),
      );
      expect(left).to.deep.equal([]);
    });
  }
});
