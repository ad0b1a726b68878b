import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("the page of a row", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `create table books (id integer primary key, title text, facts text);
        insert into books values (1, 'Emma & co', '{"pages": [1, 2], "by": "Jane"}'), (2, null, '{"n":12345678901234567890,"m":[1e400,1.0]}'), (3, '3', '[no json'),
          (4, '{"main": "Emma"}', null), (5, '[Untitled]', null);
        create table tags (id integer primary key, book integer, weight real);
        insert into tags values (7, 1, 2);`,
    });
  });

  it("is titled by the label of the row, with its table and key beside", async () => {
    const { text } = await rowhouse.get("/library/books/1");

    expect(text).to.include('Emma &amp; co <bdi class="suffix">books: 1</bdi></h1>');
    expect(text).to.include("<title>Emma &amp; co · library: books</title>");
  });

  it("is titled by a label in brackets that is no JSON", async () => {
    expect((await rowhouse.get("/library/books/5")).text).to.include("<title>[Untitled] · library: books");
  });

  for (const [path, title] of [
    ["/library/books/2", "books: 2"],
    ["/library/books/3", "books: 3"],
    ["/library/books/4", "books: 4"],
    ["/library/tags/7", "tags: 7"],
  ] as const) {
    it(`is titled ${title} without a label of its own`, async () => {
      expect((await rowhouse.get(path)).text).to.include(`<h1 dir="auto">${title}</h1>`);
    });
  }

  it("links to the rows that reference it, below base_url once", async () => {
    const below = await rowhouseFor({
      sql: `create table authors (id integer primary key); insert into authors values (1);
        create table books (id integer primary key, author integer references authors(id)); insert into books values (7, 1);`,
      settings: { base_url: "/data/" },
    });

    for (const path of ["/library/authors/1", "/data/library/authors/1"]) {
      const { text } = await below.get(path);
      const hrefs = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, href = ""]) => href);

      expect(hrefs).to.include("/data/library/books?author=1");
      for (const href of hrefs) expect(href).to.match(/^\/data\/(?!data\/)/);
    }
  });

  it("has edit and delete as buttons for those who may", async () => {
    const mine = await rowhouse.get("/library/books/1", { as: "root" });
    const other = await rowhouse.get("/library/books/1");

    expect(mine.text).to.include('<a class="button quiet" href="/library/books/1/-/edit">Edit this row</a>');
    expect(mine.text).to.include(
      '<a class="button quiet" href="/library/books/1/-/remove">Delete this row</a>',
    );
    expect(other.text).not.to.include("/-/edit");
  });

  it("lays out JSON, with numbers as they are stored", async () => {
    expect((await rowhouse.get("/library/books/1")).text).to.include("{\n  &quot;pages&quot;: [\n    1,\n");
    expect((await rowhouse.get("/library/books/2")).text).to.include(
      "{\n  &quot;n&quot;: 12345678901234567890,\n  &quot;m&quot;: [\n    1e400,\n    1.0\n",
    );
    expect((await rowhouse.get("/library/books/3")).text).to.include("[no json");
  });
});
