import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const contents = {
  sql: `
    create table authors (id integer primary key, name text);
    insert into authors values (1, 'Austen'), (2, 'Joyce');
    create table books (id integer primary key, title text, kind text, author_id integer references authors);
    create index books_kind on books (kind);
    insert into books values (1, 'Emma', 'novel', 1), (2, 'Ulysses', 'novel', 2), (3, 'Poems', 'verse', 2);`,
  views: { novels: "select title from books where kind = 'novel'" },
  metadata: {
    databases: {
      library: {
        queries: { titles: "select title from books" },
        tables: {
          books: {
            title: "Books",
            columns: { kind: "What it is" },
            plugins: { weather: { password: "secret" } },
            allow: { id: "*" },
          },
        },
      },
    },
  },
};
const ann = { as: "ann" };

/** Every extra of a page, as its own list names them. */
async function listed(rowhouse: TestRowhouse, path: string): Promise<readonly string[]> {
  const { json } = await rowhouse.get(`${path}_extra=extras`, ann);
  return json.extras.map(({ name }: { name: string }) => name);
}

describe("_extra", () => {
  it("makes the document small: the rows as objects, and the next page", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { json } = await rowhouse.get("/library/books.json?_extra=&_size=2&_col=title", ann);

    expect(json).to.deep.equal({
      ok: true,
      rows: [
        { id: 1, title: "Emma" },
        { id: 2, title: "Ulysses" },
      ],
      next: "2",
      next_url: `${rowhouse.origin}/library/books.json?_extra=&_size=2&_col=title&_next=2`,
      truncated: false,
    });
  });

  it("adds the keys that it names, in that order, by commas or by repetition", async () => {
    const rowhouse = await rowhouseFor(contents);

    const commas = await rowhouse.get("/library/books.json?_extra=count,columns", ann);
    const repeated = await rowhouse.get("/library/books.json?_extra=count&_extra=columns&_extra=count", ann);

    expect(Object.keys(commas.json).slice(5)).to.deep.equal(["count", "columns"]);
    expect(commas.json).to.include({ count: 3 });
    expect(repeated.json).to.deep.equal(commas.json);
  });

  it("has no key twice, whichever names are repeated", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { text, status } = await rowhouse.get(
      "/library/books.json?_extra=count,+table,count&_extra=next_url",
      ann,
    );

    expect(status).to.equal(200);
    for (const key of ["count", "table", "next_url"]) expect(text.split(`"${key}": `), key).to.have.length(2);
  });

  it("tells that rows are missing from the result of a query", async () => {
    const rowhouse = await rowhouseFor({ ...contents, settings: { max_returned_rows: 2 } });

    const { json } = await rowhouse.get("/library/titles.json?_extra=columns");

    expect(json).to.deep.include({ truncated: true, rows: [{ title: "Emma" }, { title: "Ulysses" }] });
  });

  it("lists the other formats of the page only, without its own format", async () => {
    const rowhouse = await rowhouseFor(contents);
    const of = async (path: string) => (await rowhouse.get(path, ann)).json.renderers;

    expect(await of("/library/books?_format=json&_extra=renderers&kind=novel")).to.deep.equal({
      json: "/library/books.json?_extra=renderers&kind=novel",
      csv: "/library/books.csv?_extra=renderers&kind=novel",
    });
  });

  it("says in which request and for which page it was made", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { json } = await rowhouse.get("/library/authors.json?_extra=debug,request&_nofacet=1");

    expect(json.debug).to.deep.equal({
      route: "table",
      target: "table",
      format: "json",
      nofacet: true,
      nosuggest: false,
    });
    expect(json.request.full_path).to.equal(`${json.request.path}?_extra=debug,request&_nofacet=1`);
  });

  it("is ignored by pages that have no rows", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { status, json } = await rowhouse.get("/library.json?_extra=nosuch");

    expect([status, json.database]).to.deep.equal([200, "library"]);
  });

  const values: readonly (readonly [path: string, name: string, value: unknown])[] = [
    ["/library/books.json?kind=novel&", "count", 2],
    ["/library/books.json?kind=novel&", "human_description_en", 'where kind = "novel"'],
    ["/library/books.json?_col=title&", "columns", ["id", "title"]],
    ["/library/books.json?_col=title&", "all_columns", ["id", "title", "kind", "author_id"]],
    ["/library/books.json?", "primary_keys", ["id"]],
    ["/library/books.json?kind=novel&", "filters", [{ column: "kind", op: "exact", value: "novel" }]],
    [
      "/library/books.json?_size=2&kind=novel&_sort=id&",
      "form_hidden_args",
      [
        ["_size", "2"],
        ["_extra", "form_hidden_args"],
      ],
    ],
    ["/library/books.json?", "metadata", { title: "Books", columns: { kind: "What it is" } }],
    ["/library/books.json?", "database", "library"],
    ["/library/books.json?", "table", "books"],
    ["/library/books.json?", "is_view", false],
    ["/library/books.json?", "view_definition", null],
    ["/library/novels.json?", "is_view", true],
    ["/library/novels.json?", "table_definition", null],
    [
      "/library/novels.json?",
      "view_definition",
      "CREATE VIEW \"novels\" as select title from books where kind = 'novel'",
    ],
    ["/library/books.json?", "private", true],
    ["/library/novels.json?", "private", false],
    ["/library/books.json?", "column_types", {}],
    [
      "/library/books.json?",
      "custom_table_templates",
      ["_table-library-books.html", "_table-table-library-books.html", "_table.html"],
    ],
    [
      "/library/books.json?",
      "expandable_columns",
      [[{ column: "author_id", other_table: "authors", other_column: "id" }, "name"]],
    ],
    [
      "/library/authors/2.json?",
      "foreign_key_tables",
      [
        {
          other_table: "books",
          column: "id",
          other_column: "author_id",
          count: 2,
          link: "/library/books?author_id=2",
        },
      ],
    ],
    ["/library/authors/2.json?", "primary_key_values", ["2"]],
    ["/library/titles.json?", "query_name", "titles"],
    ["/library/titles.json?", "columns", ["title"]],
  ];
  for (const [path, name, value] of values) {
    it(`${name} of ${path.slice(0, -1)} is ${JSON.stringify(value)}`, async () => {
      const { json } = await (await rowhouseFor(contents)).get(`${path}_extra=${name}`, ann);

      expect(json[name]).to.deep.equal(value);
    });
  }

  it("request and column_types list names of digits in their order", async () => {
    const columnTypes = { email: "email", 20: "url", 10: "json" };
    const years = await rowhouseFor({
      sql: "create table t (id integer primary key, email, '20', '10')",
      metadata: { databases: { library: { tables: { t: { column_types: columnTypes } } } } },
    });

    const { text } = await years.get("/library/t.json?_extra=request,column_types&20=x&10=y");

    expect(text).to.include('"args": {"_extra": ["request,column_types"], "20": ["x"], "10": ["y"]}');
    expect(text).to.match(/"column_types": \{"email": .*"20": .*"10": /);
  });

  it("facet_results has the facets, and those that took too long", async () => {
    const rowhouse = await rowhouseFor(contents);
    const path = "/library/books.json?_facet=author_id&_facet=kind&_extra=facet_results,sorted_facet_results";

    const { json } = await rowhouse.get(path, ann);

    expect(Object.keys(json.facet_results.results)).to.deep.equal(["author_id", "kind"]);
    expect(json.facet_results.timed_out).to.deep.equal([]);
    // With equally many values the last name comes first.
    expect(json.sorted_facet_results.map(({ name }: { name: string }) => name)).to.deep.equal([
      "kind",
      "author_id",
    ]);
  });

  it("extras lists what there is, and how to switch each on or off", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { json } = await rowhouse.get("/library/books.json?_extra=extras&_extra=count", ann);
    const one = (name: string) => json.extras.find((extra: { name: string }) => extra.name === name);

    expect(one("count")).to.deep.include({
      selected: true,
      toggle_url: `${rowhouse.origin}/library/books.json?_extra=extras`,
    });
    expect(one("columns")).to.deep.include({
      selected: false,
      toggle_url: `${rowhouse.origin}/library/books.json?_extra=extras%2Ccount%2Ccolumns`,
    });
  });

  for (const path of [
    "/library/books.json?",
    "/library/novels.json?",
    "/library/books/1.json?",
    "/library/titles.json?",
    "/library.json?sql=select+1&",
  ]) {
    it(`gives every extra that it lists: ${path.slice(0, -1)}`, async () => {
      const rowhouse = await rowhouseFor(contents);
      const names = await listed(rowhouse, path);

      const { status, json, text } = await rowhouse.get(`${path}_extra=${names.join(",")}`, ann);

      expect(status).to.equal(200);
      expect(Object.keys(json)).to.include.members(names.filter((name) => name !== "next_url"));
      expect(text).not.to.include("secret");
    });
  }

  it("rejects an unknown name, and lists the known ones", async () => {
    const { status, json } = await (await rowhouseFor(contents)).get("/library/titles.json?_extra=count");

    expect(status).to.equal(400);
    expect(json.error).to.match(/^Unknown _extra: count\. Known here: columns, query, .*, extras$/);
  });

  it("keeps _shape: arrays are arrays, and where there is no document there are no extras", async () => {
    const rowhouse = await rowhouseFor(contents);

    const arrays = await rowhouse.get("/library/authors.json?_extra=&_shape=arrays");
    const array = await rowhouse.get("/library/authors.json?_extra=count&_shape=array");

    expect(arrays.json.rows).to.deep.equal([
      [1, "Austen"],
      [2, "Joyce"],
    ]);
    expect(array.json).to.be.an("array");
  });

  it("counts nothing that was not asked for", async () => {
    const rowhouse = await rowhouseFor(contents);
    const database = rowhouse.rowhouse.database("library");
    const seen: string[] = [];
    const { read } = database;
    database.read = (sql, ...more) => (seen.push(sql), read.call(database, sql, ...more));

    await rowhouse.get("/library/authors.json?_extra=columns");

    expect(seen).to.deep.equal([]);
  });

  it("shows an SQL error as without extras", async () => {
    const { status, json } = await (
      await rowhouseFor()
    ).get("/library.json?sql=select+nosuch&_extra=columns");

    expect(status).to.equal(400);
    expect(json).to.include({ ok: false, error: "no such column: nosuch" });
  });
});
