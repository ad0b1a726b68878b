import { expect } from "chai";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const books = [
  { id: 1, title: "Emma", year: 1815 },
  { id: 2, title: "Emma", year: 1816 },
];

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books }, ...contents });

const post = (rowhouse: TestRowhouse, action: string, json: object, as = "root"): Promise<TestReply> =>
  rowhouse.post(`/library/books/-/${action}`, { as, json });

const indexes = (rowhouse: TestRowhouse): Promise<unknown[]> =>
  rowhouse.query("select name, sql from sqlite_schema where type = 'index'");

describe("POST /:database/:table/-/create-index", () => {
  it("makes an index under the name of its table and columns", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "create-index", { columns: ["title", "-year"] });

    const schema = "CREATE INDEX [idx_books_title_year]\n    ON [books] ([title], [year] DESC)";
    expect([reply.status, reply.json]).to.deep.equal([
      201,
      { ok: true, database: "library", table: "books", index: "idx_books_title_year", schema },
    ]);
    expect(await indexes(rowhouse)).to.deep.equal([{ name: "idx_books_title_year", sql: schema }]);
    expect(rowhouse.events[0]).to.deep.include({
      name: "create-index",
      index: "idx_books_title_year",
      schema,
    });
  });

  it("takes a name, and may make the values unique", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "create-index", { columns: ["year"], name: 'a "b"]', unique: true });

    expect(reply.json.schema).to.equal('CREATE UNIQUE INDEX "a ""b""]"\n    ON [books] ([year])');
  });

  const refusals: [name: string, body: object, message: string][] = [
    [
      "the name of a table of Rowhouse",
      { columns: ["year"], name: "_rowhouse_idempotency" },
      "Invalid index name: _rowhouse_idempotency",
    ],
    [
      "values that are not unique",
      { columns: ["title"], unique: true },
      "UNIQUE constraint failed: books.title",
    ],
    ["a column that does not exist", { columns: ["nope"] }, "no such column: nope"],
    ["no columns", { columns: [] }, '"columns" must not be empty'],
    ["columns that are no list", { columns: "title" }, '"columns" must be a list of names'],
    ["an unknown key", { columns: ["title"], where: "1" }, 'Invalid parameter: "where"'],
    ["a name that is taken", { columns: ["title"], name: "books" }, "there is already a table named books"],
  ];
  for (const [name, body, message] of refusals) {
    it(`refuses ${name}`, async () => {
      const rowhouse = await library();

      const reply = await post(rowhouse, "create-index", body);

      expect([reply.status, reply.json]).to.deep.equal([400, { ok: false, errors: [message] }]);
      expect(await indexes(rowhouse)).to.deep.equal([]);
      expect(rowhouse.events).to.deep.equal([]);
    });
  }

  it("needs alter-table", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "create-index", { columns: ["title"] }, "ann");

    expect([reply.status, reply.json.errors]).to.deep.equal([403, ["Permission denied"]]);
  });
});

describe("POST /:database/:table/-/drop-index", () => {
  const sql = "create index by_year on books (year); create table t (a unique); create index on_t on t (a)";

  it("takes an index away", async () => {
    const rowhouse = await library({ sql });

    const reply = await post(rowhouse, "drop-index", { name: "by_year" });

    expect([reply.status, reply.json]).to.deep.equal([200, { ok: true }]);
    expect(await indexes(rowhouse)).to.not.deep.include({ name: "by_year" });
    expect(rowhouse.events[0]).to.deep.include({ name: "drop-index", index: "by_year" });
  });

  it("does not find indexes of other tables", async () => {
    const rowhouse = await library({ sql });

    const reply = await post(rowhouse, "drop-index", { name: "on_t" });

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["no such index: on_t"]]);
  });

  it("leaves the index of a constraint alone", async () => {
    const rowhouse = await library({ sql });

    const reply = await rowhouse.post("/library/t/-/drop-index", {
      as: "root",
      json: { name: "sqlite_autoindex_t_1" },
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      400,
      ["index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped"],
    ]);
  });

  it("needs alter-table", async () => {
    const rowhouse = await library({ sql });

    expect((await post(rowhouse, "drop-index", { name: "by_year" }, "ann")).status).to.equal(403);
  });
});
