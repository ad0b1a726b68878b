import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const FULL_TEXT = `
  create virtual table notes_fts using fts5(body, content='notes');
  insert into notes_fts(notes_fts) values ('rebuild');`;

describe("what a closed table reveals", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        people: [{ id: 1, name: "Hidden Name" }],
        notes: [
          { id: 1, body: "whispered word" },
          { id: 2, body: "shown" },
        ],
        visits: "id integer primary key, person_id integer references people(id), note text",
        tickets: "id integer primary key autoincrement",
      },
      views: { open_notes: "select id, body from notes where id = 2" },
      sql: `insert into visits values (1, 1, 'x'), (2, 1, 'y'); insert into tickets default values; ${FULL_TEXT}`,
      metadata: {
        databases: {
          library: {
            tables: {
              people: { allow: { id: "root" } },
              notes: { allow: { id: "root" } },
              tickets: { allow: false },
              open_notes: { allow: true, fts_table: "notes_fts", fts_pk: "id" },
            },
          },
        },
      },
    });
  });

  const get = (path: string, as?: string) => rowhouse.get(`/library/${path}`, as === undefined ? {} : { as });
  const through = encodeURIComponent('{"table":"people","column":"name","value":"Hidden Name"}');

  const silent = [
    "visits.json?_labels=on",
    "visits.json?_facet=person_id",
    "visits/1.json?_extras=foreign_key_tables",
    "visits.json?_search=whispered&_fts_table=notes_fts&_fts_pk=id",
    `people.json?_through=${through}`,
  ];
  for (const path of silent) {
    it(`nothing: ${path}`, async () => {
      const { text } = await get(path);

      expect(text).not.to.match(/Hidden Name|whispered word|"people"/);
    });
  }

  it("shows labels to actors who may view it", async () => {
    const { json } = await get("visits.json?_labels=on&_col=person_id&id=1", "root");

    expect(json.rows).to.deep.equal([{ id: 1, person_id: { value: 1, label: "Hidden Name" } }]);
  });

  it("closes its full-text table and the shadows of that", async () => {
    for (const path of ["notes_fts.json", "notes_fts_data.json", "notes_fts_docsize.json"]) {
      expect([path, (await get(path)).status]).to.deep.equal([path, 403]);
      expect([path, (await get(path, "root")).status]).to.deep.equal([path, 200]);
    }
  });

  it("answers a search by its index like one by an index that is not there", async () => {
    const closed = await get("visits.json?_search=x&_fts_table=notes_fts");
    const missing = await get("visits.json?_search=x&_fts_table=nosuch_fts");

    expect(closed.status).to.equal(missing.status);
    expect(closed.json.error).to.equal("no such table: notes_fts");
  });

  it("does not name its full-text table, which the metadata of an open view names", async () => {
    const closed = await get("open_notes.json?_search=whispered&_shape=array");
    const documents = await Promise.all(
      [undefined, "root"].map((as) => rowhouse.get("/-/metadata.json", as === undefined ? {} : { as })),
    );

    expect([closed.status, closed.json]).to.deep.equal([200, [{ id: 2, body: "shown" }]]);
    expect(documents.map(({ text }) => text.includes("notes_fts"))).to.deep.equal([false, true]);
    expect((await get("open_notes.json?_search=shown", "root")).json.filtered_table_rows_count).to.equal(1);
  });

  it("is left out of the engine's own rows about tables", async () => {
    const { json } = await get("sqlite_sequence.json");

    expect(json.rows).to.deep.equal([]);
    expect(json.filtered_table_rows_count).to.equal(0);
  });
});

describe("read_scope", () => {
  const secrets = definePlugin({
    name: "secrets",
    read_scope: () => ({
      table: "docs",
      where: "draft = :no",
      params: { no: 0 },
      hiddenColumns: ["draft", "author"],
    }),
  });
  const tables = {
    docs: [
      { id: 1, title: "Open", draft: 0, author: "ann" },
      { id: 2, title: "Draft", draft: 1, author: "bob" },
    ],
    comments: "id integer primary key, doc_id integer references docs(id)",
  };
  const sql = "insert into comments values (1, 1), (2, 2);";

  it("takes rows and columns out of pages, counts and facets", async () => {
    const rowhouse = await rowhouseFor({ tables, sql, plugins: [secrets] });

    const { json } = await rowhouse.get("/library/docs.json?_facet=title");

    expect(json.columns).to.deep.equal(["id", "title"]);
    expect(json.rows).to.deep.equal([[1, "Open"]]);
    expect(json.filtered_table_rows_count).to.equal(1);
    expect(json.facet_results.title.results.map(({ value }: { value: string }) => value)).to.deep.equal([
      "Open",
    ]);
  });

  it("makes hidden columns unknown to every argument", async () => {
    const rowhouse = await rowhouseFor({ tables, sql, plugins: [secrets] });
    const status = async (query: string) => (await rowhouse.get(`/library/docs.json?${query}`)).status;

    for (const query of ["_sort=author", "_col=author", "author__in=ann", "_facet=author"]) {
      expect([query, await status(query)]).to.deep.equal([query, 400]);
    }
    expect(await status("_where=author=1")).to.equal(403);
    expect((await rowhouse.get("/library/docs.json?author=ann")).json.rows).to.deep.equal([]);
  });

  it("hides rows from their own page and from labels", async () => {
    const rowhouse = await rowhouseFor({ tables, sql, plugins: [secrets] });

    expect((await rowhouse.get("/library/docs/2.json")).status).to.equal(404);
    expect((await rowhouse.get("/library/comments.json?_labels=on")).json.rows).to.deep.equal([
      { id: 1, doc_id: { value: 1, label: "Open" } },
      { id: 2, doc_id: 2 },
    ]);
  });
});
