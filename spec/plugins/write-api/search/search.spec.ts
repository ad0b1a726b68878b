import { expect } from "chai";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const books = [
  { id: 1, title: "Emma", about: "A matchmaker" },
  { id: 5, title: "Persuasion", about: "Matches made late" },
];

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books }, ...contents });

const post = (rowhouse: TestRowhouse, action: string, json: object, as = "root"): Promise<TestReply> =>
  rowhouse.post(`/library/books/-/${action}`, { as, json });

const found = async (rowhouse: TestRowhouse, text: string): Promise<unknown> =>
  (await rowhouse.get(`/library/books.json?_shape=arrayfirst&_col=id&_search=${text}`)).json;

const schemaNames = async (rowhouse: TestRowhouse): Promise<unknown[]> =>
  (await rowhouse.query("select name from sqlite_schema order by name")).map(({ name }) => name);

describe("dropping a table that can be searched", () => {
  it("drops its full-text tables, so that a new table of its name can be searched", async () => {
    const rowhouse = await library({
      sql: "create virtual table more using fts5(title, content='books'); create table others (title text);",
    });
    await post(rowhouse, "enable-search", { columns: ["title"], replace: true });

    expect((await post(rowhouse, "drop", { confirm: true })).status).to.equal(200);
    expect(await schemaNames(rowhouse)).to.deep.equal(["others"]);
    await rowhouse.post("/library/-/create", { as: "root", json: { table: "books", rows: books, pk: "id" } });

    expect((await post(rowhouse, "enable-search", { columns: ["title"] })).status).to.equal(201);
    expect(await found(rowhouse, "emma")).to.deep.equal([1]);
  });
});

describe("POST /:database/:table/-/enable-search", () => {
  it("makes the rows searchable, and keeps the index in step with every write", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "enable-search", { columns: ["title", "about"], tokenize: "porter" });

    expect([reply.status, reply.json]).to.deep.equal([
      201,
      { ok: true, database: "library", table: "books", fts_table: "books_fts", columns: ["title", "about"] },
    ]);
    expect(await found(rowhouse, "match")).to.deep.equal([5]);
    await post(rowhouse, "insert", { row: { id: 7, title: "Sanditon", about: null } });
    expect(await found(rowhouse, "sanditon")).to.deep.equal([7]);
    await rowhouse.post("/library/books/1/-/update", { as: "root", json: { update: { title: "Clueless" } } });
    expect(await found(rowhouse, "emma")).to.deep.equal([]);
    expect(await found(rowhouse, "clueless")).to.deep.equal([1]);
    await post(rowhouse, "insert", { rows: [{ id: 7, title: "Lesley Castle" }], replace: true });
    expect(await found(rowhouse, "sanditon")).to.deep.equal([]);
    await post(rowhouse, "delete", { all: true });
    expect(await found(rowhouse, "clueless")).to.deep.equal([]);
    await rowhouse.query("insert into books_fts (books_fts) values ('integrity-check')");
  });

  it("serves tables whose rows have nothing but a rowid, and names of any kind", async () => {
    const rowhouse = await library({
      tables: {},
      sql: "create table books (\"a ]b\" text, \"it's\" text); insert into books values ('one', 'two')",
    });

    await post(rowhouse, "enable-search", { columns: ["a ]b", "it's"] });
    await post(rowhouse, "insert", { row: { "a ]b": "three", "it's": "four" } });

    const rows = async (text: string): Promise<unknown> =>
      (await rowhouse.get(`/library/books.json?_shape=array&_search=${text}`)).json;
    expect(await rows("two")).to.deep.equal([{ rowid: 1, "a ]b": "one", "it's": "two" }]);
    expect(await rows("four")).to.deep.equal([{ rowid: 2, "a ]b": "three", "it's": "four" }]);
  });

  it("replaces an index if the request says so", async () => {
    const rowhouse = await library();
    await post(rowhouse, "enable-search", { columns: ["title"] });

    const again = await post(rowhouse, "enable-search", { columns: ["about"] });
    expect([again.status, again.json.errors]).to.deep.equal([400, ["Search is enabled for books already"]]);
    const replaced = await post(rowhouse, "enable-search", { columns: ["about"], replace: true });
    expect(replaced.status).to.equal(201);
    expect(await found(rowhouse, "matchmaker")).to.deep.equal([1]);
    expect(await found(rowhouse, "emma")).to.deep.equal([]);
  });

  it("stays whole through an alteration of the table", async () => {
    const rowhouse = await library();
    await post(rowhouse, "enable-search", { columns: ["title"] });
    const alter = (op: string, args: object): Promise<TestReply> =>
      post(rowhouse, "alter", { operations: [{ op, args }] });

    expect((await alter("reorder_columns", { columns: ["about"] })).status).to.equal(200);
    await post(rowhouse, "insert", { row: { id: 9, title: "Lady Susan" } });
    expect(await found(rowhouse, "susan")).to.deep.equal([9]);
    expect((await alter("rename_column", { name: "title", to: "name" })).json.errors).to.deep.equal([
      "Operation 0: Cannot rename column title: books_fts is a full-text index made of it",
    ]);
    expect((await alter("rename_table", { to: "works" })).json.errors).to.deep.equal([
      "Operation 0: Cannot rename books: books_fts is a full-text index made of it",
    ]);
    expect((await alter("set_primary_key", { columns: [] })).json.errors).to.deep.equal([
      "Operation 0: Cannot change the primary key: books_fts is a full-text index that counts on rowids",
    ]);
  });

  const refusals: [name: string, body: object, message: string][] = [
    ["a column that does not exist", { columns: ["nope"] }, "no such column: nope"],
    ["no columns", { columns: [] }, '"columns" must not be empty'],
    [
      "a tokenizer that it does not know",
      { columns: ["title"], tokenize: "porter', content=''" },
      '"tokenize" must be one of unicode61, porter, trigram, ascii',
    ],
    ["an unknown key", { columns: ["title"], fts: 4 }, 'Invalid parameter: "fts"'],
  ];
  for (const [name, body, message] of refusals) {
    it(`refuses ${name}`, async () => {
      const rowhouse = await library();

      const reply = await post(rowhouse, "enable-search", body);

      expect([reply.status, reply.json.errors]).to.deep.equal([400, [message]]);
      expect(await schemaNames(rowhouse)).to.deep.equal(["books"]);
    });
  }

  it("leaves nothing where a name is taken", async () => {
    const rowhouse = await library({
      sql: "create trigger books_au after delete on books begin select 1; end",
    });
    const before = await schemaNames(rowhouse);

    const reply = await post(rowhouse, "enable-search", { columns: ["title"] });

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["trigger [books_au] already exists"]]);
    expect(await schemaNames(rowhouse)).to.deep.equal(before);
  });

  it("refuses tables without rowids", async () => {
    const rowhouse = await library({
      tables: {},
      sql: "create table books (a text primary key) without rowid",
    });

    const reply = await post(rowhouse, "enable-search", { columns: ["a"] });

    expect(reply.json.errors).to.deep.equal(["Search needs rowids, which books has none of"]);
  });

  it("needs alter-table", async () => {
    const rowhouse = await library();

    expect((await post(rowhouse, "enable-search", { columns: ["title"] }, "ann")).status).to.equal(403);
    expect((await post(rowhouse, "disable-search", {}, "ann")).status).to.equal(403);
  });
});

describe("POST /:database/:table/-/disable-search", () => {
  it("takes away all that enabling made, and nothing else", async () => {
    const rowhouse = await library({
      sql: "create table log (a); create trigger other after insert on books begin insert into log values (1); end",
    });
    const before = await schemaNames(rowhouse);
    await post(rowhouse, "enable-search", { columns: ["title"] });

    const reply = await post(rowhouse, "disable-search", {});

    expect([reply.status, reply.json]).to.deep.equal([200, { ok: true }]);
    expect(await schemaNames(rowhouse)).to.deep.equal(before);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["enable-search", "disable-search"]);
  });

  it("reports that there is no index to remove", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "disable-search", {});

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["Search is not enabled for books"]]);
  });
});
