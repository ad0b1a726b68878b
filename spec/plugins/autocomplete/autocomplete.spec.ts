import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const SQL = `
  create table authors (id integer primary key, name text, born integer);
  insert into authors values (1, 'Jane Austen', 1775), (2, 'Mary Shelley', 1797), (3, 'austere 100%', null), (1775, 'X', 5);
  create table books (id integer primary key, title text, author_id integer references authors(id), secret text);
  insert into books values (1, 'Emma', 1, 'a'), (2, 'Frankenstein', 2, 'b'), (3, 'Lodore', 2, 'c'), (4, null, null, 'd');
  create table docs (id integer primary key, title text, body text);
  insert into docs values (1, 'Zebra', 'a striped animal'), (2, 'Striped shirt', 'clothes'), (3, 'Plain', 'nothing');
  create virtual table docs_fts using fts5 (title, body, content=docs, content_rowid=id);
  insert into docs_fts(docs_fts) values ('rebuild');
  create table old (id integer primary key, title text);
  insert into old values (1, 'Striped one'), (2, 'Plain');
  create virtual table old_fts using fts4 (title, content=old);
  insert into old_fts(old_fts) values ('rebuild');
  create table pairs (a text, b integer, primary key (a, b));
  insert into pairs values ('x', 1), ('x', 2), ('y', 1);
  create view recent as select name from authors;
`;

describe("the completion of rows", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  const rows = async (path: string) => (await rowhouse.get(`/library/${path}`)).json;
  const labels = async (path: string): Promise<unknown[]> =>
    (await rows(path)).rows.map((row: { label: unknown }) => row.label);

  it("has keys, row paths and labels, those first that begin with the text", async () => {
    expect(await rows("authors/-/autocomplete.json?q=aus")).to.deep.equal({
      ok: true,
      label_column: "name",
      rows: [
        { pks: { id: 3 }, path: "3", label: "austere 100%" },
        { pks: { id: 1 }, path: "1", label: "Jane Austen" },
      ],
      complete: true,
    });
  });

  it("finds a row by its key", async () => {
    expect(await labels("authors/-/autocomplete.json?q=1775")).to.deep.equal(["X"]);
    expect(await labels("authors/-/autocomplete.json?q=1")).to.deep.equal(["Jane Austen", "austere 100%"]);
  });

  it("compares the first characters of a long text, in the jump menu as well", async () => {
    const { status } = await rowhouse.get(`/library/authors/-/autocomplete.json?q=${"%25".repeat(600)}`);
    await rowhouse.get(`/-/jump.json?q=${"%25".repeat(600)}`);

    expect(status).to.equal(200);
    expect(rowhouse.logged.filter((line) => line.includes("autocomplete failed"))).to.deep.equal([]);
  });

  it("takes wildcards as letters", async () => {
    expect(await labels("authors/-/autocomplete.json?q=%25")).to.deep.equal([]);
    expect(await labels("authors/-/autocomplete.json?q=100%25")).to.deep.equal(["austere 100%"]);
    expect(await labels("authors/-/autocomplete.json?q=_")).to.deep.equal([]);
  });

  it("uses the full-text index of the table, labels first", async () => {
    expect(await labels("docs/-/autocomplete.json?q=stri")).to.deep.equal(["Striped shirt", "Zebra"]);
    expect(await labels("docs/-/autocomplete.json?q=stri+anim")).to.deep.equal(["Zebra"]);
    expect(await labels('docs/-/autocomplete.json?q="stri*+OR+%26')).to.deep.equal([]);
    expect(await labels("old/-/autocomplete.json?q=stri")).to.deep.equal(["Striped one"]);
  });

  it("offers the first rows for an empty text, and as many as wanted", async () => {
    expect(await labels("authors/-/autocomplete.json?_size=2")).to.deep.equal([
      "Jane Austen",
      "Mary Shelley",
    ]);
    expect(await labels("authors/-/autocomplete.json?q=&_size=0")).to.deep.equal([]);
  });

  it("keeps to the filters of the request", async () => {
    expect(await labels("authors/-/autocomplete.json?q=a&born__notnull=1")).to.deep.equal(["Jane Austen"]);
  });

  it("labels rows of tables without a label column by their keys", async () => {
    expect((await rows("pairs/-/autocomplete.json?q=x")).rows).to.deep.equal([
      { pks: { a: "x", b: 1 }, path: "x,1", label: "x, 1" },
      { pks: { a: "x", b: 2 }, path: "x,2", label: "x, 2" },
    ]);
    expect((await rows("recent/-/autocomplete.json?q=x")).rows).to.deep.equal([]);
  });

  it("lists the columns of a key in their order, also those named by numbers", async () => {
    const years = await rowhouseFor({
      sql: "create table t (a, '2' text, '1' text, primary key (a, '2', '1')); insert into t values ('x', 'y', 'z')",
    });

    const { text } = await years.get("/library/t/-/autocomplete.json?q=x");

    expect(text).to.include('"pks": {"a": "x", "2": "y", "1": "z"}');
  });

  it("has the values of a column, those of a foreign key with labels", async () => {
    expect(await rows("books/-/autocomplete.json?column=author_id")).to.deep.equal({
      ok: true,
      column: "author_id",
      rows: [
        { value: 1, label: "Jane Austen" },
        { value: 2, label: "Mary Shelley" },
      ],
      complete: true,
    });
    expect((await rows("books/-/autocomplete.json?column=title&q=fr")).rows).to.deep.equal([
      { value: "Frankenstein" },
    ]);
  });

  it("refuses unknown columns and sizes", async () => {
    for (const [query, error] of [
      ["column=nothing", "column=nothing - invalid column"],
      ["_size=x", "_size must be a positive integer"],
    ]) {
      const { status, json } = await rowhouse.get(`/library/books/-/autocomplete.json?${query}`);
      expect([status, json.error]).to.deep.equal([400, error]);
    }
  });

  it("shows nothing of hidden rows and columns, and nothing at all without permission", async () => {
    const rules = definePlugin({
      name: "rules",
      read_scope: () => [
        { table: "authors", where: "born < 1790" },
        { table: "books", hiddenColumns: ["secret"] },
        { table: "docs", where: "id <> 1" },
      ],
    });
    const closed = await rowhouseFor({
      sql: SQL,
      plugins: [rules],
      metadata: { databases: { library: { tables: { old: { allow: false } } } } },
    });
    const found = async (path: string) => (await closed.get(`/library/${path}`)).json;

    expect((await found("authors/-/autocomplete.json?q=mary")).rows).to.deep.equal([]);
    expect((await found("authors/-/autocomplete.json?q=2")).rows).to.deep.equal([]);
    expect((await found("authors/-/autocomplete.json?column=name")).rows).to.deep.equal([
      { value: "Jane Austen" },
      { value: "X" },
    ]);
    expect((await found("docs/-/autocomplete.json?q=stri")).rows).to.have.length(1);
    expect((await found("books/-/autocomplete.json?column=secret")).error).to.include("invalid column");
    expect((await found("books/-/autocomplete.json?column=author_id")).rows).to.deep.equal([
      { value: 1, label: "Jane Austen" },
      { value: 2, label: 2 },
    ]);
    expect((await closed.get("/library/old/-/autocomplete.json?q=s")).status).to.equal(403);
  });

  it("ends within its time limit, with the first rows that it finds", async () => {
    const large = await rowhouseFor({
      sql: `create table many (id integer primary key, name text);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
        insert into many select i, 'name ' || (1000000 - i) from n;`,
      settings: { autocomplete_time_limit_ms: 40 },
    });
    const { json } = await large.get("/library/many/-/autocomplete.json?q=name&_size=3");
    const rare = await large.get("/library/many/-/autocomplete.json?q=nothing");
    const keyed = await large.get("/library/many/-/autocomplete.json?q=999999");

    expect(json.complete).to.equal(false);
    expect(json.rows).to.have.length(3);
    expect([rare.status, rare.json.complete, rare.json.rows]).to.deep.equal([200, false, []]);
    expect(keyed.json.rows[0]).to.deep.equal({ pks: { id: 999999 }, path: "999999", label: "name 1" });
  });
});
