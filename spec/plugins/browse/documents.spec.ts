import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("The instance document", () => {
  it("leaves out databases and tables that the visitor may not view, in lists and in counts", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }, { id: 2 }], diaries: [{ id: 1 }] },
      metadata: { databases: { library: { tables: { diaries: { allow: { id: "ann" } } } } } },
    });

    const anonymous = (await rowhouse.get("/.json")).json.library;
    const ann = (await rowhouse.get("/.json", { as: "ann" })).json.library;

    expect(anonymous).to.include({ tables_count: 1, table_rows_sum: 2 });
    expect(ann).to.include({ tables_count: 2, table_rows_sum: 3 });
    expect(
      ann.tables_and_views_truncated.map((t: { name: string; private: boolean }) => [t.name, t.private]),
    ).to.deep.equal([
      ["books", false],
      ["diaries", true],
    ]);
  });

  it("shows the best connected tables first when asked to", async () => {
    const rowhouse = await rowhouseFor({
      tables: {
        authors: "id integer primary key, name text",
        books: "id integer primary key, author_id integer references authors(id)",
        zines: "id integer primary key",
      },
    });

    const { library } = (await rowhouse.get("/.json?_sort=relationships")).json;

    expect(
      library.tables_and_views_truncated.map((t: { name: string; num_relationships_for_sorting: number }) => [
        t.name,
        t.num_relationships_for_sorting,
      ]),
    ).to.deep.equal([
      ["books", 1],
      ["authors", 1],
      ["zines", 0],
    ]);
  });
});

for (const path of ["/.json", "/library.json"]) {
  it(`${path} counts many tables with few statements`, async () => {
    const rowhouse = await rowhouseFor({
      tables: Object.fromEntries(
        Array.from({ length: 120 }, (_, index) => [`t${index}`, [{ id: 1 }, { id: 2 }]]),
      ),
      settings: { trace_debug: true },
    });

    const { json } = await rowhouse.get(`${path}?_trace=1`);

    const counting = json["_trace"].traces.filter(({ sql }: { sql?: string }) => sql?.includes("count(*)"));
    expect(counting).to.have.length(3);
    const tables = json.tables ?? json.library.tables_and_views_truncated;
    expect(tables.map(({ count }: { count: number }) => count)).to.deep.equal(tables.map(() => 2));
  });
}

describe("The database document", () => {
  const tables = {
    authors: "id integer primary key, name text",
    books: "id integer primary key, author_id integer references authors(id)",
  };

  it("lists keys from both ends", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { json } = await rowhouse.get("/library.json");

    expect(json.tables.map((t: { foreign_keys: unknown }) => t.foreign_keys)).to.deep.equal([
      { incoming: [{ other_table: "books", column: "id", other_column: "author_id" }], outgoing: [] },
      { incoming: [], outgoing: [{ other_table: "authors", column: "author_id", other_column: "id" }] },
    ]);
  });

  it("names no closed table to those who may not run SQL", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: {
        databases: { library: { allow_sql: false, tables: { authors: { allow: { id: "ann" } } } } },
      },
    });

    const { text, json } = await rowhouse.get("/library.json");

    expect(text).to.not.include("authors");
    expect(json).to.deep.include({ allow_execute_sql: false, table_columns: {} });
  });

  it("ends with the top level's source and license, whatever the database says", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: { source: "Top", databases: { library: { source: "Own", license: "L" } } },
    });

    const { json } = await rowhouse.get("/library.json");

    expect(json.source).to.equal("Top");
    expect(json).to.not.have.property("license");
  });
});

describe("The page of a database", () => {
  it("lets the editor complete columns of views, which the document does not list", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: "id integer primary key, title text" },
      views: { titles: "select title, id from books" },
    });

    const { text } = await rowhouse.get("/library");
    const { table_columns: columns } = (await rowhouse.get("/library.json")).json;
    const [, schema = ""] = /data-schema="([^"]*)"/.exec(text) ?? [];

    expect(JSON.parse(schema.replaceAll("&quot;", '"'))).to.deep.equal({
      books: ["id", "title"],
      titles: ["title", "id"],
    });
    expect(columns).to.deep.equal({ books: ["id", "title"], titles: [] });
  });

  it("has no names for the editor of clients that may not run SQL", async () => {
    const views = { titles: "select 'Emma' as title" };
    const rowhouse = await rowhouseFor({ views, settings: { default_allow_sql: false } });

    const { text } = await rowhouse.get("/library");

    expect(text)
      .to.include("titles")
      .and.not.to.match(/data-schema|&quot;title&quot;/);
  });
});
