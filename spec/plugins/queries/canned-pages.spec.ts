import { expect } from "chai";
import { rowhouseFor, type Contents } from "rowhouse/testing";

const SELECT = "select title from books where title = :title";

const served = (queries: object, database: object = {}, contents: Contents = {}) =>
  rowhouseFor({
    ...contents,
    tables: { books: [{ id: 1, title: "Emma" }] },
    metadata: { databases: { library: { ...database, queries } } },
  });

const EDIT_LINK = "/library?sql=select+title+from+books+where+title+%3D+%3Atitle&amp;title=Emma";

describe("The page of a canned query", () => {
  it("with hide_sql shows the SQL only on request, also for other values of the form", async () => {
    const rowhouse = await served({ hidden: { sql: SELECT, hide_sql: true } });

    const hidden = await rowhouse.get("/library/hidden?title=Emma&_show_sql=");
    const shown = await rowhouse.get("/library/hidden?title=Emma&_show_sql=1");

    expect(hidden.text).not.to.include(`<code>${SELECT}`);
    expect(hidden.text).to.include('(<a href="/library/hidden?title=Emma&amp;_show_sql=1">show</a>)');
    expect(shown.text).to.include(`<code>${SELECT}</code>`);
    expect(shown.text).to.include('(<a href="/library/hidden?title=Emma">hide</a>)');
    expect(shown.text).to.include('<input type="hidden" name="_show_sql" value="1">');
  });

  it("links to the editor only for actors who may run the statement there", async () => {
    const rowhouse = await served(
      { books_by_title: SELECT, pragma: "pragma user_version", mine: "select :_header_x as x" },
      { allow_sql: { id: "root" } },
    );
    const page = async (name: string, as: string) => (await rowhouse.get(`/library/${name}`, { as })).text;

    expect(await page("books_by_title?title=Emma", "root")).to.include(`href="${EDIT_LINK}"`);
    expect(await page("books_by_title?title=Emma", "ann")).not.to.include("edit-sql");
    expect(await page("pragma", "root")).not.to.include("edit-sql");
    expect(await page("mine", "root")).not.to.include("edit-sql");
  });

  it("has the description of the query, not that of its database", async () => {
    const rowhouse = await served(
      { one: { sql: "select 1", description: "Counts nothing" } },
      { description: "Books of the town", license: "MIT" },
    );

    const own = await rowhouse.get("/library/one");
    const custom = await rowhouse.get("/library?sql=select+1");

    expect(own.text)
      .to.include("Counts nothing")
      .and.not.to.match(/Books of the town|MIT/);
    expect(custom.text).to.include("Books of the town").and.to.include("MIT");
  });

  it("is that of the name in its address, whatever its block calls itself", async () => {
    const rowhouse = await served({ one: { sql: "select 1", name: "books" } });

    expect((await rowhouse.get("/library/one.json")).json.query_name).to.equal("one");
  });
});
