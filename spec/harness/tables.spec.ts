import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { buildDatabase, openRaw } from "./raw-sqlite.js";
import { tablesScript, viewsScript, type TableLiteral } from "./tables.js";

describe("tables written as literals", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-tables-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  let made = 0;
  async function query(script: string, sql: string): Promise<Record<string, unknown>[]> {
    const file = join(folder, `${++made}.db`);
    await buildDatabase(file, script);
    const database = await openRaw(file);
    try {
      return await database.all(sql);
    } finally {
      await database.close();
    }
  }

  it("make id the primary key and infer the other types", async () => {
    const books: TableLiteral = [
      { id: 1, title: "Emma", price: 3, cover: new Uint8Array([1]), lent: true, note: null },
      { id: 2, price: 4.5, year: 9_007_199_254_740_993n },
    ];

    const columns = await query(
      tablesScript({ books }),
      "select name, type, pk from pragma_table_info('books')",
    );

    expect(
      columns.map(({ name, type, pk }) => `${String(name)} ${String(type)} ${String(pk)}`),
    ).to.deep.equal([
      "id INTEGER 1",
      "title TEXT 0",
      "price REAL 0",
      "cover BLOB 0",
      "lent INTEGER 0",
      "note TEXT 0",
      "year INTEGER 0",
    ]);
  });

  it("store exactly what was written", async () => {
    const odd: TableLiteral = [
      { id: "o'a", 'a "b"': 'x"', big: 9_007_199_254_740_993n, end: Infinity, raw: new Uint8Array([0, 255]) },
    ];

    const rows = await query(
      tablesScript({ 'odd "name': odd }),
      `select id, "a ""b""" as a, cast(big as text) as big, "end" > 1e308 as infinite, hex(raw) as raw from "odd ""name"`,
    );

    expect(rows).to.deep.equal([{ id: "o'a", a: 'x"', big: "9007199254740993", infinite: 1, raw: "00FF" }]);
  });

  it("take columns as SQL, and views as SELECT statements", async () => {
    const script = [
      tablesScript({ empty: "code text primary key, n integer default 7" }),
      viewsScript({ seven: "select 7 as n" }),
    ].join("\n");

    expect(await query(script, "select * from seven left join empty using (n)")).to.deep.equal([
      { n: 7, code: null },
    ]);
  });

  it("reject an empty table without columns", () => {
    expect(() => tablesScript({ books: [] })).to.throw("books");
  });
});
