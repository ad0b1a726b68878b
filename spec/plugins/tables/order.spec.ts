import { expect } from "chai";
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  record,
  shuffledSubarray,
} from "fast-check";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const BOOKS = {
  sql: `
    create table books (id integer primary key, year integer, price real, title text collate nocase, any_value, "-x, y" text);
    insert into books values
      (1, 1815, 9.5, 'Emma', 'b', 'one'), (2, null, 3, 'emma', 2, 'two'), (3, 1815, null, null, null, 'one'),
      (4, 1603, 9.5, 'Hamlet', 'a', null), (5, null, 12.25, 'Zastrozzi', 1, 'two'), (6, 1815, 9.5, 'EMMA', 1.5, 'one');
    create table tags (book integer, name text, weight real, primary key (book, name)) without rowid;
    insert into tags values (1, 'a', 1), (1, 'b', 1), (2, 'a', null), (2, 'c', 2.5), (3, 'a', 1), (4, 'z', null);
    create table notes (body text, stars integer);
    insert into notes values ('x', 1), ('y', null), ('x', 1), (null, 2), ('x', 2), ('y', null);
    create view recent as select title, year from books where year > 1700;
  `,
};

/** All rows, page by page. */
async function everyPage(rowhouse: TestRowhouse, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let next: string | null = path; next !== null;) {
    const { status, json, text } = await rowhouse.get(next);
    expect(status, text).to.equal(200);
    rows.push(...json.rows);
    next = json.next_url === null ? null : String(json.next_url).slice(rowhouse.origin.length);
    expect(rows.length, "the pages end").to.be.lessThan(50);
  }
  return rows;
}

describe("Rows of a full-text table sorted by its hidden column", () => {
  for (const direction of ["_sort", "_sort_desc"])
    it(`come once each, although its values change with each statement: ${direction}`, async () => {
      const rowhouse = await rowhouseFor({
        sql: `create virtual table notes using fts5(note);
          insert into notes (note) values ('one'), ('two'), ('three');`,
      });

      const ids: number[] = [];
      let next: string | null = `/library/notes.json?_size=1&${direction}=notes&_nofacet=1`;
      while (next !== null && ids.length < 5) {
        const { json } = await rowhouse.get(next);
        ids.push(...(json.rows as number[][]).map(([id = 0]) => id));
        next = (json.next_url as string | null)?.replace(rowhouse.origin, "") ?? null;
      }

      expect(ids).to.deep.equal([1, 2, 3]);
    });
});

describe("an order by several columns", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      ...BOOKS,
      metadata: {
        databases: { library: { tables: { tags: { sortable_columns: ["name"], sort: "name" } } } },
      },
    });
  });

  const ids = async (query: string): Promise<number[]> =>
    (await rowhouse.get(`/library/books.json?_shape=arrayfirst&${query}`)).json;

  it("sorts by each column in its direction", async () => {
    expect(await ids("_order=year,-price,title")).to.deep.equal([5, 2, 4, 1, 6, 3]);
    expect(await ids("_order=-year,price")).to.deep.equal([3, 1, 6, 4, 2, 5]);
  });

  it("takes names that are tilde-encoded", async () => {
    const name = tildeEncode("-x, y").replace(/^-/, "~2D");

    expect(await ids(`_order=${name},-id`)).to.deep.equal([4, 6, 3, 1, 5, 2]);
    expect(await ids(`_order=-${name},id`)).to.deep.equal([2, 5, 1, 3, 6, 4]);
  });

  it("is described, and is part of the address of the next page", async () => {
    const { json } = await rowhouse.get("/library/books.json?_order=year,-price&_size=2&year__notnull=1");

    expect(json.human_description_en).to.equal("where year is not null sorted by year, price descending");
    expect(String(json.next_url)).to.match(/_next=[^&]+&_order=year%2C-price$/);
    expect(json.query.sql).to.include("order by year, price desc limit 3");
  });

  it("keeps the pages of one column as they are, whichever argument asks for it", async () => {
    const { json } = await rowhouse.get("/library/books.json?_order=-price&_size=2");

    expect(String(json.next_url)).to.match(/\?_size=2&_next=9~2E5%2C1&_sort_desc=price$/);
  });

  it("comes from an export, too", async () => {
    const { text } = await rowhouse.get("/library/books.csv?_order=-year,-price&_col=title&_stream=on");

    expect(text.split("\r\n").slice(1, 4)).to.deep.equal(["1,Emma", "6,EMMA", "3,"]);
  });

  for (const [query, message] of [
    ["_order=nothing", "Cannot sort table by nothing"],
    ["_order=year,", "_order has an empty column name"],
    ["_order=year,-year", "_order has the column year twice"],
    ["_order=year&_sort=title", "Cannot use _order together with _sort or _sort_desc"],
    [
      `_order=${Array.from({ length: 17 }, (_, index) => `c${index}`).join(",")}`,
      "_order takes at most 16 columns",
    ],
    ["_order=year,price&_next=1", "Invalid _next token"],
  ] as const) {
    it(`is refused: ${query.slice(0, 40)}`, async () => {
      const { status, json } = await rowhouse.get(`/library/books.json?${query}`);

      expect([status, json.error]).to.deep.equal([400, message]);
    });
  }

  it("allows only the sortable columns of the metadata, and replaces its order", async () => {
    const refused = await rowhouse.get("/library/tags.json?_order=name,weight");
    const sorted = await rowhouse.get("/library/tags.json?_order=-name&_shape=arrayfirst");

    expect([refused.status, refused.json.error]).to.deep.equal([400, "Cannot sort table by weight"]);
    expect(sorted.json).to.deep.equal([4, 2, 1, 1, 2, 3]);
  });

  it("of a view pages by offset, with the order in the address", async () => {
    const rows = await everyPage(rowhouse, "/library/recent.json?_order=-title,year&_size=1");

    expect(rows).to.have.length(3);
  });

  it("gives way to a choice in the sort menu of the page", async () => {
    const { headers } = await rowhouse.get("/library/books?_order=year,price&_sort=title&_filter_column=");

    expect(headers.location).to.equal("/library/books?_sort=title");
  });

  const TABLES = {
    books: ["id", "year", "price", "title", "any_value", "~2Dx~2C+y"],
    notes: ["rowid", "body", "stars"],
  } as const;

  it("gives every row once, whatever the columns, directions, page size and shown columns", async function () {
    this.timeout(120_000);
    const question = constantFrom("books" as const, "notes" as const).chain((table) =>
      record({
        table: constant(table),
        columns: shuffledSubarray([...TABLES[table]], { minLength: 1 }),
        directions: array(boolean(), { minLength: 6, maxLength: 6 }),
        size: integer({ min: 1, max: 4 }),
        hides: boolean(),
      }),
    );
    await assert(
      asyncProperty(question, async ({ table, columns, directions, size, hides }) => {
        const order = columns.map((name, index) => (directions[index] === true ? "-" : "") + name).join(",");
        const shown = hides ? (table === "books" ? "&_col=title" : "&_col=stars") : "";
        const path = `/library/${table}.json?_order=${order}${shown}`;
        const whole = await rowhouse.get(path);
        const paged = await everyPage(rowhouse, `${path}&_size=${size}`);

        expect(paged).to.deep.equal(whole.json.rows);
      }),
      { numRuns: 60 },
    );
  });

  it("is refused where the metadata has both sort and sort_desc, unless the request has one", async () => {
    const rowhouse = await rowhouseFor({
      ...BOOKS,
      metadata: { databases: { library: { tables: { books: { sort: "id", sort_desc: "year" } } } } },
    });

    const { status, json } = await rowhouse.get("/library/books.json");
    expect([status, json.error]).to.deep.equal([
      400,
      "The metadata of this table has both sort and sort_desc. Remove one of them",
    ]);
    expect((await rowhouse.get("/library/books.json?_sort=id")).status).to.equal(200);
  });

  for (const order of ["_sort=word", "_sort_desc=word", "_sort=id"]) {
    it(`gives every row once where text is not UTF-8: ${order}`, async () => {
      const words = await rowhouseFor({
        sql: `create table words (id integer primary key, word text);
              insert into words values (1, 'a'), (2, cast(x'c328' as text)), (3, cast(x'ff' as text)), (4, 'z');
              create table keys (word text primary key, id integer) without rowid;
              insert into keys select word, id from words`,
      });
      for (const table of ["words", "keys"]) {
        const path = `/library/${table}.json?${order}`;
        const whole = await words.get(path);

        expect(await everyPage(words, `${path}&_size=1`)).to.deep.equal(whole.json.rows);
      }
    });
  }
});
