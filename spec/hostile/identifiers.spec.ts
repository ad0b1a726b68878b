import { expect } from "chai";
import { formEncode, tildeEncode } from "rowhouse/plugin-api/http";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const NAMES = [
  "a]b",
  'a"b',
  "a'b",
  "a`b",
  "a;drop",
  "a--",
  "a/*",
  "a\nb",
  "\u{1F980}",
  "a%b",
  "a.b/c d~e",
  "_sort",
  "__proto__",
  "constructor",
  "rowid",
  ":p0",
  "select",
  "x".repeat(1000),
];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A table with a column, a row and a filter, all of this name, beside one that must stay as it is. */
const library = (name: string): Promise<TestRowhouse> =>
  rowhouseFor({
    sql: `create table ${quoted(name)} (id integer primary key, ${quoted(name)} text);
      insert into ${quoted(name)} values (1, 'one'), (2, 'two');
      create table untouched (id integer); insert into untouched values (1);`,
  });

describe("A table and a column of any name", () => {
  for (const name of NAMES) {
    it(`are served, filtered, sorted and faceted: ${JSON.stringify(name.slice(0, 20))}`, async () => {
      const rowhouse = await library(name);
      const path = `/library/${tildeEncode(name)}`;
      const column = formEncode(name);

      const table = await rowhouse.get(`${path}.json?_facet=${column}&_sort_desc=${column}`);
      const filtered = await rowhouse.get(`${path}.json?_shape=array&${column}__exact=two`);
      const row = await rowhouse.get(`${path}/2.json?_shape=array`);
      const others = await Promise.all(
        ["", "/2", ".csv", ".csv?_stream=on"].map((end) => rowhouse.get(path + end)),
      );

      expect(table.status, table.text).to.equal(200);
      expect(table.json.rows).to.deep.equal([
        [2, "two"],
        [1, "one"],
      ]);
      expect(table.json.columns).to.deep.equal(["id", name]);
      expect(filtered.text).to.equal(`[{"id": 2, ${jsonName(name)}: "two"}]`);
      expect(row.text).to.equal(filtered.text);
      expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect(await rowhouse.rows("untouched")).to.deep.equal([{ id: 1 }]);
    });
  }

  it("are served, written and linked: a table with the empty name", async () => {
    const rowhouse = await library("");

    const inserted = await rowhouse.post("/library//-/insert", {
      as: "root",
      json: { row: { id: 3, "": "three" } },
    });
    const table = await rowhouse.get("/library/.json?_sort_desc=id");
    const row = await rowhouse.get("/library//3.json?_shape=array");
    const pages = await Promise.all(["/library/", "/library//3"].map((path) => rowhouse.get(path)));
    const database = await rowhouse.get("/library");

    expect(inserted.status, inserted.text).to.equal(201);
    expect(table.json.rows).to.deep.equal([
      [3, "three"],
      [2, "two"],
      [1, "one"],
    ]);
    expect(row.text).to.equal('[{"id": 3, "": "three"}]');
    expect(pages.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(database.text).to.include('<a href="/library/" dir="auto">&quot;&quot;</a>');
    expect(await rowhouse.rows("untouched")).to.deep.equal([{ id: 1 }]);
  });

  it("are not the engine's own", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    for (const name of ["sqlite_schema", "sqlite_master", ""]) {
      expect((await rowhouse.get(`/library/${tildeEncode(name)}.json`)).status, name).to.equal(404);
    }
  });
});

/** JSON that is ASCII only. */
const jsonName = (name: string): string =>
  JSON.stringify(name).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

describe("An argument that names a column", () => {
  const INJECTION = 'x" union select pw from secret--';
  for (const argument of ["_sort", "_sort_desc", "_col", "_nocol", "_facet", "_facet_array", "_facet_date"]) {
    it(`is refused where there is no such column: ${argument}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: { books: [{ id: 1, title: "Emma" }], secret: [{ pw: "hunter2" }] },
      });

      const { status, text } = await rowhouse.get(
        `/library/books.json?${argument}=${encodeURIComponent(INJECTION)}`,
      );

      expect(status).to.equal(400);
      expect(text).not.to.include("hunter2");
    });
  }

  const FILTERS = [
    "title__gt",
    "title__in",
    "title__notin",
    "title__bogus",
    "__proto__",
    "constructor",
    "constructor__exact",
    "__proto____exact",
    "toString__contains",
    "title__constructor",
    "title____proto__",
  ];
  for (const filter of FILTERS) {
    it(`is a filter on a column, or refused: ${filter}`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });

      for (const value of ["1", INJECTION, "[1", "__proto__"]) {
        const { status, json } = await rowhouse.get(
          `/library/books.json?${filter}=${encodeURIComponent(value)}`,
        );
        expect([200, 400], `${filter}=${value}`).to.include(status);
        if (status === 200) expect(json.rows.length).to.be.at.most(1);
      }
      expect(({} as Record<string, unknown>)["exact"]).to.equal(undefined);
    });
  }
});

describe("A row's address", () => {
  const ADDRESSES: readonly (readonly [path: string, statuses: readonly number[]])[] = [
    ["stock/a.json", [404]],
    ["stock/a,1,2.json", [404]],
    ["stock/a,1.json", [200]],
    ["books/.json", [404]],
    ["books/~.json", [404]],
    ["books/~zz.json", [404]],
    ["books/~C0~AF.json", [404]],
    ["books/~00.json", [404]],
    ["books/-1.json", [404]],
    ["books/1,2.json", [404]],
    ["books/1e0.json", [200]],
    ["books/0x1.json", [404]],
    ["books/1e400.json", [404]],
    ["books/9999999999999999999999.json", [404]],
    [`books/${"9".repeat(5000)}.json`, [404]],
    ["log/-1.json", [404]],
    ["log/1.json", [200]],
    ["log/abc.json", [404]],
    ["titles/1.json", [404]],
  ];
  for (const [path, statuses] of ADDRESSES) {
    it(`leads to its row or to none: ${path.slice(0, 40)}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: {
          books: [{ id: 1 }],
          log: "message text",
          stock: "shop text, n integer, primary key (shop, n)",
        },
        views: { titles: "select id from books" },
        sql: "insert into log values ('start'); insert into stock values ('a', 1);",
      });

      const { status, text } = await rowhouse.get(`/library/${path}`);

      expect(statuses, text.slice(0, 200)).to.include(status);
    });
  }
});
