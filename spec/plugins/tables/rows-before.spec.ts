import { expect } from "chai";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";
import { expectPositions, positionOn, positionsOf } from "./positions.js";

const BOOKS: Contents = {
  sql: `
    create table books (id integer primary key, year integer, price real not null, title text collate nocase, anything);
    create index books_year on books (year);
    insert into books values
      (1, 1815, 9.5, 'Emma', 'b'), (2, null, 3, 'emma', 2), (3, 1815, 4, null, null), (4, 1603, 9.5, 'Hamlet', 'a'),
      (5, null, 12.25, 'Zastrozzi', 1), (6, 1815, 9.5, 'EMMA', 1.5), (7, 1900, 4, 'Kim', x'00');
    create table tags (book integer, name text, weight real, primary key (book, name));
    insert into tags values (1, 'a', 1), (1, 'b', 1), (2, 'a', null), (2, 'c', 2.5), (null, 'a', 1), (4, null, null),
      (null, null, 3), (5, 'z', 0);
    create table codes (code text primary key, n integer);
    insert into codes values (null, 1), ('b', 2), (null, 3), ('A', 4), ('c', 5), ('10', 6), ('9', 7);
    create table notes (body text, stars integer);
    insert into notes values ('x', 1), ('y', null), ('x', 1), (null, 2), ('x', 2), ('y', null);
    create view recent as select title, year from books where year > 1700;
  `,
};

const PAGES = [
  "books?_size=2",
  ...["id", "year", "price", "title", "anything"].flatMap((column) => [
    `books?_size=2&_sort=${column}`,
    `books?_size=2&_sort_desc=${column}`,
  ]),
  "books?_size=2&price__lt=10",
  "books?_size=2&price__lt=10&_sort_desc=year",
  "books?_size=1&_where=year+%3E+1700&_sort=title",
  "tags?_size=1",
  "tags?_size=1&_sort=weight",
  "tags?_size=1&_sort_desc=name",
  "codes?_size=1",
  "codes?_size=2&_sort_desc=n",
  "notes?_size=2",
  "notes?_size=1&_sort=stars",
  "recent?_size=2",
];

describe("The number of rows before a page", () => {
  let rowhouse: TestRowhouse;
  before(async () => (rowhouse = await rowhouseFor(BOOKS)));

  for (const page of PAGES)
    it(`is counted for a page that is opened by its address: ${page}`, () =>
      expectPositions(rowhouse, `/library/${page}`));

  it("follows from the page before, for those who go from page to page", async () => {
    const other = await rowhouseFor(BOOKS);
    for (const path of PAGES)
      for (const [page, position] of await positionsOf(other, `/library/${path}`))
        expect(await positionOn(other, page), page).to.equal(position);
  });

  it("is counted again when rows have come", async () => {
    const other = await rowhouseFor({ tables: { books: [{ id: 1 }, { id: 5 }, { id: 6 }] } });
    const second = "/library/books?_size=2&_next=5";
    await positionOn(other, "/library/books?_size=2");
    const before = await positionOn(other, second);

    await other.post("/library/books/-/insert", { as: "root", json: { row: { id: 3 } } });

    expect([before, await positionOn(other, second)]).to.deep.equal(["3 to 3 of 3", "4 to 4 of 4"]);
  });
});

describe("The cost of the number of rows before a page", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table readings (id integer primary key, place integer, level real);
        create index readings_place on readings (place);
        insert into readings
          with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
          select i, i % 50, i / 7.0 from n;`,
      settings: { trace_debug: true },
    });
  });

  /** The statements of a page that count rows before it, and the advice on them. */
  async function counts(path: string): Promise<readonly string[]> {
    const { text } = await rowhouse.get(`${path}&_trace=1`);
    const statements = text.split("&quot;type&quot;: &quot;sql&quot;").slice(1);
    expect(statements, "the page is traced").to.not.deep.equal([]);
    return statements.filter((statement) => /count\(\*\).*(?: is not true|&lt;= :p0)/.test(statement));
  }

  it("is none for the page after one that was shown", async () => {
    await rowhouse.get("/library/readings?_size=10");

    expect(await counts("/library/readings?_size=10&_next=10")).to.deep.equal([]);
    expect(await counts("/library/readings?_size=10&_next=20")).to.deep.equal([]);
  });

  it("is one comparison for each row of a page that is not sorted", async () => {
    const [count = "", ...others] = await counts("/library/readings?_size=10&_next=300");

    expect(others).to.deep.equal([]);
    expect(count)
      .to.match(/where \(+id &lt;= :p0\)+&quot;/)
      .and.not.include("reads every row");
  });

  for (const path of [
    "/library/readings?_size=10&_sort=place&_next=3,303",
    "/library/readings?_size=10&_sort_desc=place&_next=45,295",
  ])
    it(`is that of the rows that an index finds: ${path}`, async () => {
      const [count = "", ...others] = await counts(path);

      expect(others).to.deep.equal([]);
      expect(count).to.include("is not true").and.not.include("reads every row");
    });

  it("is that of all rows without an index", async () => {
    const [count] = await counts("/library/readings?_size=10&_sort=level&_next=43.0,301");

    expect(count).to.include("reads every row");
  });
});
