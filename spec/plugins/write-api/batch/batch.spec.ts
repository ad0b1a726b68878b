import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const authors = [
  { id: 1, name: "Jane Austen" },
  { id: 2, name: "Mary Shelley" },
];
const books = [
  { id: 1, title: "Emma", author_id: 1 },
  { id: 2, title: "Frankenstein", author_id: 2 },
];

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { authors, books }, ...contents });

const batch = (rowhouse: TestRowhouse, operations: unknown, more: object = {}): Promise<TestReply> =>
  rowhouse.post("/library/-/batch", { as: "root", json: { operations, ...more } });

const allOperations = [
  { op: "insert", table: "authors", row: { name: "George Eliot" } },
  { op: "upsert", table: "books", rows: [{ id: 1, title: "Emma, revised" }, { id: 3 }] },
  { op: "update", table: "books", key: 3, update: { title: "Middlemarch", author_id: 3 }, return: true },
  { op: "update", table: "authors", filters: { name__contains: "e" }, update: { name: "E." } },
  { op: "delete", table: "books", filters: { author_id: 2 } },
  { op: "delete", table: "authors", key: ["2"] },
];

describe("POST /:database/-/batch", () => {
  it("runs several operations on several tables, and returns the result of each", async () => {
    const rowhouse = await library();

    const reply = await batch(rowhouse, allOperations);

    expect(reply.status).to.equal(200);
    expect(reply.json).to.deep.equal({
      ok: true,
      results: [
        { op: "insert", table: "authors", row_count: 1, rows: [{ id: 3, name: "George Eliot" }] },
        { op: "upsert", table: "books", row_count: 2 },
        {
          op: "update",
          table: "books",
          row_count: 1,
          rows: [{ id: 3, title: "Middlemarch", author_id: 3 }],
        },
        { op: "update", table: "authors", row_count: 3 },
        { op: "delete", table: "books", row_count: 1 },
        { op: "delete", table: "authors", row_count: 1 },
      ],
    });
    expect(await rowhouse.rows("books")).to.deep.equal([
      { id: 1, title: "Emma, revised", author_id: 1 },
      { id: 3, title: "Middlemarch", author_id: 3 },
    ]);
    expect(await rowhouse.rows("authors")).to.deep.equal([
      { id: 1, name: "E." },
      { id: 3, name: "E." },
    ]);
  });

  it("sends the events of all operations after the commit", async () => {
    const rowhouse = await library();

    await batch(rowhouse, allOperations);

    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal([
      "insert-rows",
      "upsert-rows",
      "update-row",
      "update-rows",
      "delete-rows",
      "delete-row",
    ]);
  });

  it("shows with dry_run what would happen, and leaves everything as it was", async () => {
    const rowhouse = await library();

    const reply = await batch(rowhouse, allOperations, { dry_run: true });

    expect(reply.json.dry_run).to.equal(true);
    expect(reply.json.results.map((one: { row_count: number }) => one.row_count)).to.deep.equal([
      1, 2, 1, 3, 1, 1,
    ]);
    expect(await rowhouse.rows("books")).to.deep.equal(books);
    expect(await rowhouse.rows("authors")).to.deep.equal(authors);
    expect(rowhouse.events).to.deep.equal([]);
  });

  it("counts the rows that were stored, not those that were ignored", async () => {
    const rowhouse = await library();

    const rows = [
      { id: 1, name: "again" },
      { id: 9, name: "new" },
    ];
    const reply = await batch(rowhouse, [{ op: "insert", table: "authors", rows, ignore: true }]);

    expect(reply.json.results).to.deep.equal([{ op: "insert", table: "authors", row_count: 1 }]);
  });

  it("writes to a table with the empty name", async () => {
    const rowhouse = await library({ sql: 'create table "" (id integer primary key)' });

    const reply = await batch(rowhouse, [{ op: "insert", table: "", row: { id: 7 } }]);

    expect(reply.json.results).to.deep.equal([{ op: "insert", table: "", row_count: 1, rows: [{ id: 7 }] }]);
  });

  const first = { op: "insert", table: "authors", row: { name: "lost" } };
  const failures: [name: string, second: unknown, status: number, messages: string[]][] = [
    [
      "a constraint fails",
      { op: "insert", table: "books", row: { id: 1 } },
      400,
      ["Operation 1: UNIQUE constraint failed: books.id"],
    ],
    [
      "a row is not there",
      { op: "delete", table: "books", key: 77 },
      404,
      ["Operation 1: Record not found: ['77']"],
    ],
    [
      "a table is not there",
      { op: "delete", table: "no", key: 1 },
      404,
      ["Operation 1: Table not found: no"],
    ],
    [
      "rows have unknown columns",
      { op: "insert", table: "books", rows: [{ x: 1 }, { y: 1 }] },
      400,
      ["Operation 1: Row 0 has invalid columns: x", "Operation 1: Row 1 has invalid columns: y"],
    ],
    [
      "a key is not whole",
      { op: "update", table: "books", key: [1, 2], update: {} },
      400,
      ["Operation 1: Need 1 primary key value"],
    ],
    [
      "a key is no value",
      { op: "update", table: "books", key: null, update: {} },
      400,
      ['Operation 1: "key" must be a text or a number, or a list of them'],
    ],
    [
      "every row would be deleted without a word about it",
      { op: "delete", table: "books" },
      400,
      ['Operation 1: Need "filters", or "all": true for every row'],
    ],
    [
      "a member is unknown",
      { op: "delete", table: "books", key: 1, really: true },
      400,
      ['Operation 1: Invalid parameter: "really"'],
    ],
    [
      "it asks for a dry run of its own",
      { op: "delete", table: "books", all: true, dry_run: true },
      400,
      ['Operation 1: "dry_run" belongs to the whole batch'],
    ],
    [
      "its name is unknown",
      { op: "drop", table: "books" },
      400,
      ['Operation 1: "op" must be one of insert, upsert, update, delete'],
    ],
    ["it has no table", { op: "delete" }, 400, ['Operation 1: "table" must be a name']],
    ["it is no dictionary", 7, 400, ["Operation 1: must be a dictionary"]],
  ];
  for (const [name, second, status, messages] of failures) {
    it(`does nothing at all where of one operation ${name}`, async () => {
      const rowhouse = await library();

      const reply = await batch(rowhouse, [first, second]);

      expect([reply.status, reply.json]).to.deep.equal([status, { ok: false, errors: messages }]);
      expect(await rowhouse.rows("authors")).to.deep.equal(authors);
      expect(await rowhouse.rows("books")).to.deep.equal(books);
      expect(rowhouse.events).to.deep.equal([]);
    });
  }

  const shapes: [name: string, body: object, message: string][] = [
    ["no operations", {}, '"operations" must be a list'],
    ["an empty list", { operations: [] }, '"operations" must not be empty'],
    ["an unknown member", { operations: [first], dryrun: true }, 'Invalid parameter: "dryrun"'],
    [
      "more operations than allowed",
      { operations: [first, first, first] },
      "Too many operations, maximum allowed is 2",
    ],
  ];
  for (const [name, json, message] of shapes) {
    it(`refuses ${name}`, async () => {
      const rowhouse = await library({ settings: { max_batch_operations: 2 } });

      const reply = await rowhouse.post("/library/-/batch", { as: "root", json });

      expect([reply.status, reply.json.errors]).to.deep.equal([400, [message]]);
    });
  }

  it("asks the permission of each operation, as its own endpoint would", async () => {
    const rowhouse = await library();
    const token = await rowhouse.rowhouse.service("tokens").createToken("root", {
      restrictResource: { library: { authors: ["insert-row"], books: ["view-table"] } },
    });
    const ask = (operations: object[]): Promise<TestReply> =>
      rowhouse.post("/library/-/batch", { token, json: { operations } });

    expect((await ask([first])).status).to.equal(200);
    const reply = await ask([first, { op: "delete", table: "books", key: 1 }]);
    expect([reply.status, reply.json.errors]).to.deep.equal([403, ["Operation 1: Permission denied"]]);
    expect(await rowhouse.rows("authors")).to.have.length(3);
  });

  it("does not reveal whether a table exists to actors who may not view it", async () => {
    const rowhouse = await library({ metadata: { databases: { library: { allow: { id: "root" } } } } });
    const ask = (path: string, table: string): Promise<TestReply> =>
      rowhouse.post(path, { json: { operations: [{ op: "delete", table, key: 1 }] } });

    const there = await ask("/library/-/batch", "books");
    expect(there.json).to.deep.equal({ ok: false, errors: ["Operation 0: Permission denied"] });
    for (const missing of [await ask("/library/-/batch", "nope")]) {
      expect([missing.status, missing.text]).to.deep.equal([there.status, there.text]);
    }
  });

  it("runs each operation inside the code that plugins put around writes to its table", async () => {
    const guard = definePlugin({
      name: "guard",
      write_wrapper:
        (_rowhouse, { table }) =>
        async (write) => {
          if (table === "books") throw new Error("books are closed");
          return write();
        },
    });
    const rowhouse = await library({ plugins: [guard] });

    const reply = await batch(rowhouse, [first, { op: "delete", table: "books", key: 1 }]);

    expect(reply.status).to.equal(500);
    expect(await rowhouse.rows("authors")).to.deep.equal(authors);
  });
});
