import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import * as fc from "fast-check";
import { jsonText, type Database, type SqlValue, type Table } from "rowhouse/plugin-api";
import { encodeRows, Real } from "rowhouse/plugin-api/engine";
import { buildDatabase } from "../../../harness/raw-sqlite.js";
import { openSqlite } from "../open-sqlite.js";

const RUNS = 60;
const ROWS = 40;

const doubles = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => new DataView(bytes.buffer).getFloat64(0))
  .filter((value) => !Number.isNaN(value));
// The range in which SQLite's own text is taken as it is deserves more than its share.
const plainDoubles = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`));
const reals = fc.oneof(doubles, plainDoubles, fc.double({ noNaN: true })).map((value) => new Real(value));
const integers = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => (BigInt(Number.MAX_SAFE_INTEGER) >= (value < 0 ? -value : value) ? Number(value) : value));
const smallIntegers = fc.integer();
// Lone surrogates have no UTF-8 form, so texts without them are generated.
const texts = fc.string({ unit: "binary" }).map((text) => text.toWellFormed());
const blobs = fc.uint8Array().map((bytes) => Buffer.from(bytes));
const cells: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.constant(null),
  reals,
  integers,
  smallIntegers,
  texts,
  blobs,
);
const someRows = fc.array(fc.tuple(cells, cells), { minLength: 1, maxLength: ROWS });

describe("values through the SQLite engine", () => {
  let database: Database;
  beforeEach(async () => {
    database = await openSqlite("memory:");
    await database.write((transaction) =>
      transaction.run("create table cells (n integer primary key, a, b)"),
    );
  });

  const store = (rows: readonly (readonly [SqlValue, SqlValue])[]): Promise<void> =>
    database.write(async (transaction) => {
      await transaction.run("delete from cells");
      for (const [a, b] of rows) await transaction.run("insert into cells (a, b) values (?, ?)", [a, b]);
    });

  it("are stored and read exactly, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        await store(rows);

        const read = await database.read("select a, b from cells order by n");

        expect(read.rows).to.deep.equal(rows.map((row) => [...row]));
      }),
      { numRuns: RUNS },
    );
  });

  it("are stored exactly as packed rows", async () => {
    const { tables } = await database.schema();
    const table = tables.get("cells") as Table;
    const columns = ["a", "b"];
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const { json, kinds } = encodeRows({ columns, rows });
        const select = database.dialect.packedRows({ table, columns, kinds, parameter: "?" });
        await database.write(async (transaction) => {
          await transaction.run("delete from cells");
          await transaction.run(`insert into cells (a, b) ${select}`, [json]);
        });

        const read = await database.read("select a, b from cells order by n");

        expect(read.rows).to.deep.equal(rows.map((row) => [...row]));
      }),
      { numRuns: RUNS },
    );
  });

  it("arrive as the JSON that Rowhouse itself would write", async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        fc.constantFrom("null" as const, "words" as const),
        async (rows, infinity) => {
          await store(rows);

          const read = await database.readJson("select a, b from cells order by n", [], { infinity });

          expect(read.rows).to.deep.equal(rows.map((row) => jsonText(row, infinity)));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("stream as they are read", async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        await store(rows);
        const streamed: (readonly SqlValue[])[] = [];

        for await (const batch of database.stream("select a, b from cells order by n", [], {
          batchSize: 7,
        })) {
          streamed.push(...batch.rows);
        }

        expect(streamed).to.deep.equal(rows.map((row) => [...row]));
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it("come with the columns' own names, whatever those are", async () => {
    const names = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "A", "a", "1", "10", "end", "rowid", "'", '"', "]", "a b"),
      fc.string({ unit: "grapheme", minLength: 1 }).filter((name) => !/\0|:[0-9]+$/.test(name)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 1, maxLength: 8 }), async (wanted) => {
        const quoted = wanted.map((name, index) => `${index} as "${name.replaceAll('"', '""')}"`);

        const { columns, rows } = await database.read(`select ${quoted.join(", ")}`);

        expect(columns).to.deep.equal(wanted);
        expect(rows).to.deep.equal([wanted.map((_, index) => index)]);
      }),
      { numRuns: RUNS * 2 },
    );
  });

  const numbered = [
    ["a", "a:1"],
    ["a:1", "a:1"],
    ["a:1", "a", "a"],
    ["A", "a", "a"],
    ["a", "a", "a:1"],
    ["a:1", "a", "a:1", "a"],
    ["a", "a:1", "A:1", "a"],
    ["x", "x", "x", "x", "x", "x"],
    ["true", "a", "FALSE", "column3"],
  ];
  for (const wanted of numbered) {
    it(`come with names that resemble SQLite's numbering: ${wanted.join(" ")}`, async () => {
      const { columns } = await database.read(`select ${wanted.map((name) => `1 as "${name}"`).join(", ")}`);

      expect(columns).to.deep.equal(wanted);
    });
  }

  const unnamed = [
    "name collate nocase",
    "(name collate nocase)",
    "(name) collate nocase",
    'n."name" collate nocase',
    "true",
    "+name",
    "name || 'x'",
    "count ( * )",
    "'it''s'",
    '"no such"',
    "5 /* five */ + 1",
    "case name when 1 then 2 end",
  ];
  for (const expression of unnamed) {
    it(`come under the text of a nameless expression: ${expression}`, async () => {
      await database.write((transaction) => transaction.run("create table names (name)"));

      const { columns } = await database.read(`select NAME, ${expression}, (name) from names as n`);

      expect(columns).to.deep.equal(["name", expression, "name"]);
    });
  }

  const stars: readonly (readonly [select: string, columns: string])[] = [
    ["select * from (select *, * from pairs) as p", "a b a:1 b:1"],
    ["with p as (select *, * from pairs) select * from p where a = 1 order by b", "a b a:1 b:1"],
    ["select distinct p.* from pairs join (select a, a from pairs) as p", "a a:1"],
    ["select * from twice", "a a:1"],
    ["select * from pairs, pairs as p", "a b a b"],
    ["select * from pairs join pairs as p", "a b a b"],
    ["select * from (pairs join pairs as p)", "a b a b"],
    ["select *, * from pairs", "a b a b"],
  ];
  for (const [select, columns] of stars) {
    it(`come with the numbers of a subquery, and with none of their own: ${select}`, async () => {
      await database.write(async (transaction) => {
        await transaction.run("create table pairs (a, b)");
        await transaction.run("create view twice as select a, a from pairs");
      });

      expect((await database.read(select)).columns).to.deep.equal(columns.split(" "));
    });
  }

  it("come with the names true and false of columns", async () => {
    await database.write((transaction) => transaction.run('create table votes ("true", "false")'));

    const { columns } = await database.read(
      'select "true", votes."false", 2 is true, 1 as \'true\' from votes',
    );

    expect(columns).to.deep.equal(["true", "false", "2 is true", "true"]);
    expect((await database.read("select * from votes as v where 1")).columns).to.deep.equal([
      "true",
      "false",
    ]);
  });

  it("come with a table's own numbered names", async () => {
    await database.write((transaction) => transaction.run('create table odd (a, "a:1", "b:2")'));

    expect((await database.read("select * from odd")).columns).to.deep.equal(["a", "a:1", "b:2"]);
  });

  it("are complete for two thousand columns, more than a function of SQLite accepts", async () => {
    const values = Array.from({ length: 2_000 }, (_, index) => index);

    // How long it takes is not what this is about.
    const patiently = { timeLimitMs: 15_000 };
    const { rows, columns } = await database.read(`select ${values.join(", ")}`, [], patiently);
    const json = await database.readJson(`select ${values.join(", ")}`, [], {
      shape: "objects",
      ...patiently,
    });

    expect(columns).to.have.length(2_000);
    expect(rows).to.deep.equal([values]);
    expect(JSON.parse(json.rows[0] ?? "")).to.have.property("1999", 1999);
  });

  it("keep invalid UTF-8 readable", async () => {
    const { rows } = await database.read("select cast(x'41ff42' as text)");
    const json = await database.readJson("select cast(x'41ff42' as text)");

    expect(rows).to.deep.equal([["A\ufffdB"]]);
    expect(json.rows).to.deep.equal(['["A\\ufffdB"]']);
  });

  it("evaluate each expression once a row", async () => {
    const { rows } = await database.read(
      "with n(i) as (values (1), (2), (3)) select case abs(random()) % 3 when 0 then 'text' when 1 then 1.5 else 7 end from n",
    );
    const subtypes = await database.readJson("select json('[1]'), json_object('a', 1)");

    for (const [cell] of rows)
      expect([7, "text"].includes(cell as never) || cell instanceof Real).to.equal(true);
    expect(subtypes.rows).to.deep.equal(['["[1]", "{\\"a\\":1}"]']);
  });

  it("are the same in a database that stores text as UTF-16", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-utf16-"));
    const file = join(folder, "utf16.db");
    const sql = "select 'é 語 😀', 0.1, x'00ff', char(127)";
    await buildDatabase(file, "pragma encoding = 'UTF-16le'; create table t (a)");
    const expected = await database.readJson(sql);

    const wide = await openSqlite(`file:${file}`);
    const untrusted = await wide.readJson(sql, [], { trust: "untrusted" });

    expect((await wide.readJson(sql)).rows).to.deep.equal(expected.rows);
    expect(untrusted.rows).to.deep.equal(expected.rows);
    await rm(folder, { recursive: true });
  });

  it("may be long BLOBs between other values, in reads and streams", async () => {
    const long = [7, 300_000, 400_001].map((length) => Buffer.alloc(length, "0123456789abcdef"));
    const expected = [1, '{"blob":"61"}', ...long, `{"long":0}${"é".repeat(300_000)}`, 9007199254740993n];
    const sql = "select cast(? as integer), ?, ?, ?, ?, ?, 9007199254740993";
    const params = expected.slice(0, -1);

    expect((await database.read(sql, params)).rows).to.deep.equal([expected]);
    for await (const { rows } of database.stream(sql, params)) expect(rows).to.deep.equal([expected]);
  });

  it("may be long in a transaction that has read JSON", async () => {
    const long = Buffer.alloc(9_000_000, 1);

    const { rows } = await database.write(async (transaction) => {
      await transaction.allJson("select 1");
      await transaction.run("insert into cells (a) values (?)", [long]);
      return transaction.all("select length(a) from cells");
    });

    expect(rows).to.deep.equal([[9_000_000]]);
  });
});
