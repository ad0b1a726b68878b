import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { positionOn } from "./positions.js";

const SQL = `
  create table books (id integer primary key, title text);
  insert into books values (1, 'Emma'), (2, 'Ulysses'), (3, 'Kim'), (4, 'Emma'), (5, 'Emma');
  create table notes (body text, stars integer);
  insert into notes values ('x', 1), ('y', 2);
  create table scans (id integer primary key, scan);
  insert into scans values (1, x'caff'), (2, 'a'), (3, x'01');`;

const encoded = (item: object): string => `scans.json?scan__in=${encodeURIComponent(JSON.stringify([item]))}`;

describe("Arguments of a table", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: SQL,
      settings: { default_page_size: 10, max_returned_rows: 4 },
      metadata: { databases: { library: { tables: { notes: { sort: "gone", size: "1" } } } } },
    });
  });
  const get = async (path: string) => (await rowhouse.get(`/library/${path}`)).json;
  const page = async (path: string) => (await rowhouse.get(`/library/${path}`)).text;

  it("select each column once, behind the rowid of a table without a key", async () => {
    expect((await get("notes.json?_col=body&_col=body")).columns).to.deep.equal(["rowid", "body"]);
    expect((await get("books.json?_col=title&_col=title")).columns).to.deep.equal(["id", "title"]);
  });

  it("of a form that leave the order open select the default order", async () => {
    const { json } = await rowhouse.get("/library/books.json?_sort=&_sort_desc=id&_size=1");

    expect(json.rows).to.deep.equal([[5, "Emma"]]);
  });

  it("may compare with nothing chosen, which is an exact comparison", async () => {
    const { headers } = await rowhouse.get(
      "/library/books?_filter_column=title&_filter_op=&_filter_value=Kim&_filter_column_1=id&_filter_op_1=isnull__1",
    );

    expect(headers["location"]).to.equal("/library/books?title__exact=Kim&id__isnull=1");
  });

  it("have defaults that break no page: a column that is gone, a size as text and beyond the maximum", async () => {
    expect(await get("notes.json")).to.deep.include({ rows: [[1, "x", 1]], next: "1" });
    expect((await get("books.json")).rows).to.have.length(4);
  });

  it("refuse a size that only begins as a number, and show nothing for 0", async () => {
    expect((await get("books.json?_size=2x")).error).to.equal("_size must be a positive integer");
    expect(await get("books.json?_size=0")).to.deep.include({ rows: [], next: null });
  });

  it("take bytes in lists, escaped or as documents show them, and nothing else in braces", async () => {
    expect((await get("scans.json?scan__in=%CA%FF,a")).rows).to.have.length(2);
    expect((await get(encoded({ $base64: true, encoded: "yv8=" }))).rows).to.have.length(1);
    for (const item of [
      { $base64: true, encoded: "yv8=", more: 1 },
      { $base64: true, encoded: "y!8=" },
      { $base64: false, encoded: "yv8=" },
      { toJSON: 1 },
      [1],
    ])
      expect((await get(encoded(item))).error, JSON.stringify(item)).to.equal("Invalid JSON in scan__in");
    expect((await get("scans.json?scan__in=[1.5,9007199254740993]")).rows).to.deep.equal([]);
  });

  it("lead to the page before by its own position, and to the first page by none", async () => {
    const second = await page("books?_size=2&_next=2");
    expect(second).to.include('href="/library/books?_size=2"').and.not.include("offset0");
    expect(await page("books?_size=2&_next=4")).to.include(
      'href="/library/books?_size=2&amp;_next=%24offset2"',
    );
  });

  it("with other values have other positions, also after the same row", async () => {
    expect(await positionOn(rowhouse, "/library/books?_size=1&id__gt=0&_next=4")).to.equal("5 to 5 of 5");
    expect(await positionOn(rowhouse, "/library/books?_size=1&id__gt=2&_next=4")).to.equal("3 to 3 of 3");
  });
});
