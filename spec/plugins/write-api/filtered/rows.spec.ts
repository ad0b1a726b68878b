import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const books = [
  { id: 1, title: "Emma", author: "Austen", year: 1815, price: 9.5 },
  { id: 2, title: "Persuasion", author: "Austen", year: 1817, price: 8.0 },
  { id: 3, title: "Frankenstein", author: "Shelley", year: 1818, price: 12.0 },
  { id: 4, title: "Untitled", author: null, year: null, price: null },
];

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books }, ...contents });

const post = (rowhouse: TestRowhouse, action: string, json: object, as = "root"): Promise<TestReply> =>
  rowhouse.post(`/library/books/-/${action}`, { as, json });

const jsonType = { "content-type": "application/json" };

const allow = (action: string, id: string): object => ({
  databases: { library: { tables: { books: { permissions: { [action]: { id } } } } } },
});

const titles = async (rowhouse: TestRowhouse): Promise<unknown[]> =>
  (await rowhouse.rows("books")).map(({ title }) => title);

/** Ann may read the books of one author. */
const onlyAusten = definePlugin({
  name: "only-austen",
  read_scope: (_rowhouse, { actor }) =>
    actor?.id === "ann" ? { table: "books", where: "author = 'Austen'" } : null,
});

describe("POST /:database/:table/-/update", () => {
  it("changes the rows that match all filters, and returns their number", async () => {
    const rowhouse = await library();

    const filters = { author: "Austen", year__gt: 1815 };
    const reply = await post(rowhouse, "update", { filters, update: { price: 7.25 } });

    expect([reply.status, reply.json]).to.deep.equal([200, { ok: true, row_count: 1 }]);
    expect((await rowhouse.rows("books")).map(({ price }) => price)).to.deep.equal([9.5, 7.25, 12, null]);
  });

  it("refuses long patterns, which would hold up all other writes", async () => {
    const rowhouse = await library();

    const filters = { title__like: `%${"a".repeat(1_000)}b` };
    const { status, json } = await post(rowhouse, "update", { filters, update: { price: 1 } });

    expect([status, json]).to.deep.equal([400, { ok: false, errors: ["LIKE or GLOB pattern too complex"] }]);
  });

  const selections: [name: string, filters: object, ids: number[]][] = [
    ["a list, for any of its values", { id: [1, 3] }, [1, 3]],
    ["a list after __notin", { id__notin: [1, 3] }, [2, 4]],
    ["null, for NULL", { author: null }, [4]],
    ["null after __not, for anything else", { author__not: null }, [1, 2, 3]],
    ["the operators of the table page", { title__startswith: "P" }, [2]],
    ["a real number", { price__gte: 9.5 }, [1, 3]],
    ["the rowid", { rowid: 2 }, [2]],
  ];
  for (const [name, filters, ids] of selections) {
    it(`takes ${name}`, async () => {
      const rowhouse = await library();

      await post(rowhouse, "update", { filters, update: { title: "changed" } });

      const changed = await rowhouse.query("select id from books where title = 'changed'");
      expect(changed.map(({ id }) => id)).to.deep.equal(ids);
    });
  }

  it("takes filters from the query string, too", async () => {
    const rowhouse = await library();

    const reply = await rowhouse.post("/library/books/-/update?author=Austen&year__lt=1816", {
      as: "root",
      json: { update: { title: "Emma, revised" } },
    });

    expect(reply.json).to.deep.equal({ ok: true, row_count: 1 });
    expect((await titles(rowhouse))[0]).to.equal("Emma, revised");
  });

  it("shows with dry_run the first rows as they would become, and changes nothing", async () => {
    const rowhouse = await library();

    const body = { filters: { author: "Austen" }, update: { year: 2000 }, dry_run: true };
    const reply = await post(rowhouse, "update", body);

    expect(reply.json).to.deep.equal({
      ok: true,
      dry_run: true,
      row_count: 2,
      rows: [
        { ...books[0], year: 2000 },
        { ...books[1], year: 2000 },
      ],
    });
    expect((await rowhouse.rows("books")).map(({ year }) => year)).to.deep.equal([1815, 1817, 1818, null]);
    expect(rowhouse.events).to.deep.equal([]);
  });

  it("changes nothing where one row may not be changed", async () => {
    const rowhouse = await library({ sql: "create unique index titles on books (title)" });

    const reply = await post(rowhouse, "update", {
      filters: { author: "Austen" },
      update: { title: "Same" },
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["UNIQUE constraint failed: books.title"]]);
    expect(await titles(rowhouse)).to.deep.equal(books.map(({ title }) => title));
  });

  it("stores values exactly as other writes do", async () => {
    const rowhouse = await library({ tables: { books: "id integer primary key, title text, n, b" } });
    await post(rowhouse, "insert", { rows: [{ title: "a" }] });

    await rowhouse.post("/library/books/-/update", {
      as: "root",
      body: '{"all": true, "update": {"n": 9007199254740993, "b": {"$base64": true, "encoded": "AAE="}}}',
      headers: { "content-type": "application/json" },
    });

    const [row] = await rowhouse.query("select cast(n as text) as n, hex(b) as b from books");
    expect(row).to.deep.equal({ n: "9007199254740993", b: "0001" });
  });

  it("sends an event with the number of changed rows", async () => {
    const rowhouse = await library();

    await post(rowhouse, "update", { filters: { author: "Austen" }, update: { year: 1 } });

    const [event] = rowhouse.events;
    expect(event).to.deep.include({
      name: "update-rows",
      actor: { id: "root" },
      database: "library",
      table: "books",
      num_rows: 2,
    });
  });

  const mistakes: [name: string, body: object, message: string][] = [
    ["no filter at all", { update: { year: 1 } }, 'Need "filters", or "all": true for every row'],
    ["empty filters", { filters: {}, update: {} }, 'Need "filters", or "all": true for every row'],
    [
      "all beside filters",
      { filters: { id: 1 }, all: true, update: {} },
      'Cannot use filters and "all" at the same time',
    ],
    ["an all that is no boolean", { all: "false", update: {} }, '"all" must be true or false'],
    [
      "keys beside filters",
      { filters: { id: 1 }, keys: [1], update: {} },
      'Cannot use "keys" with filters or "all"',
    ],
    ["keys that are no list", { keys: 1, update: {} }, '"keys" must be a list'],
    ["a key of too many parts", { keys: [[1, 2]], update: {} }, "Need 1 primary key value"],
    [
      "too many keys",
      { keys: Array.from({ length: 10_001 }, (_, index) => index), update: {} },
      "Too many keys, maximum allowed is 10000",
    ],
    ["filters that are no dictionary", { filters: [], update: {} }, '"filters" must be a dictionary'],
    ["a key it does not know", { filter: { id: 1 }, update: {} }, 'Invalid parameter: "filter"'],
    ["a column that does not exist", { filters: { nope: 1 }, update: {} }, "no such column: nope"],
    ["an operator that does not exist", { filters: { id__gtt: 1 }, update: {} }, "no such column: id__gtt"],
    [
      "an object as a value",
      { filters: { id: {} }, update: {} },
      'Filter "id" must be a text, number, list or null',
    ],
    ["no update", { filters: { id: 1 } }, "JSON must contain an update dictionary"],
    ["an unknown column to change", { all: true, update: { nope: 1 } }, "no such column: nope"],
  ];
  for (const [name, body, message] of mistakes) {
    it(`refuses ${name}`, async () => {
      const rowhouse = await library();

      const reply = await post(rowhouse, "update", body);

      expect([reply.status, reply.json]).to.deep.equal([400, { ok: false, errors: [message] }]);
      expect(await rowhouse.rows("books")).to.deep.equal(books);
    });
  }

  it("refuses an unknown argument of the query string", async () => {
    const rowhouse = await library();

    const reply = await rowhouse.post("/library/books/-/delete?_search=Emma", {
      as: "root",
      headers: jsonType,
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["no such column: _search"]]);
  });
});

describe("POST /:database/:table/-/delete", () => {
  it("deletes rows by their keys, of compound keys too, and counts those that exist", async () => {
    const rowhouse = await library({ sql: "create table parts (a, b, primary key (a, b))" });
    const parts = [
      ["x", 1],
      ["x", 2],
      ["y", 1],
    ].map(([a, b]) => ({ a, b }));
    await rowhouse.post("/library/parts/-/insert", { as: "root", json: { rows: parts } });

    const sent = [
      await post(rowhouse, "delete", { keys: [3, "1", 77] }),
      await rowhouse.post("/library/parts/-/delete", {
        as: "root",
        json: {
          keys: [
            ["x", 2],
            ["y", 2],
          ],
        },
      }),
      await post(rowhouse, "delete", { keys: [] }),
    ];

    expect(sent.map(({ json }) => json.row_count)).to.deep.equal([2, 1, 0]);
    expect(await titles(rowhouse)).to.deep.equal(["Persuasion", "Untitled"]);
    expect(await rowhouse.rows("parts")).to.deep.equal([parts[0], parts[2]]);
  });

  it("tells columns apart whose names differ in a letter outside of ASCII, as SQLite does", async () => {
    const sql =
      "create table t (id integer primary key, Ä text, ä text); insert into t values (1, 'x', 'y'), (2, 'y', 'x')";
    const rowhouse = await rowhouseFor({ sql });

    await rowhouse.post("/library/t/-/delete", { as: "root", json: { filters: { ä: "x" } } });

    expect(await rowhouse.rows("t")).to.deep.equal([{ id: 1, Ä: "x", ä: "y" }]);
  });

  it("deletes the rows that pass every filter", async () => {
    const rowhouse = await library();

    const reply = await post(rowhouse, "delete", { filters: { author: "Austen" } });

    expect(reply.json).to.deep.equal({ ok: true, row_count: 2 });
    expect(await titles(rowhouse)).to.deep.equal(["Frankenstein", "Untitled"]);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["delete-rows"]);
  });

  it("takes all there is to say from the query string", async () => {
    const rowhouse = await library();

    const reply = await rowhouse.post("/library/books/-/delete?id__in=1,2,3", {
      as: "root",
      headers: jsonType,
    });

    expect(reply.json).to.deep.equal({ ok: true, row_count: 3 });
    expect(await titles(rowhouse)).to.deep.equal(["Untitled"]);
  });

  it("deletes every row where all is true", async () => {
    const rowhouse = await library();

    expect((await post(rowhouse, "delete", { all: true })).json).to.deep.equal({ ok: true, row_count: 4 });
    expect(await rowhouse.rows("books")).to.deep.equal([]);
  });

  it("refuses an empty body", async () => {
    const rowhouse = await library();

    const reply = await rowhouse.post("/library/books/-/delete", { as: "root", headers: jsonType });

    expect(reply.status).to.equal(400);
    expect(await rowhouse.rows("books")).to.deep.equal(books);
  });

  it("shows with dry_run the first ten rows that would go", async () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, title: `t${index}` }));
    const rowhouse = await library({ tables: { books: rows } });

    const reply = await post(rowhouse, "delete", { filters: { id__gt: 5 }, dry_run: true });

    expect(reply.json.row_count).to.equal(20);
    expect(reply.json.rows).to.deep.equal(rows.slice(5, 15));
    expect(await rowhouse.rows("books")).to.have.length(25);
  });

  it("works on tables without a rowid", async () => {
    const rowhouse = await library({
      tables: {},
      sql: "create table books (a text, b integer, primary key (a, b)) without rowid; insert into books values ('x', 1), ('x', 2), ('y', 1)",
    });

    const reply = await post(rowhouse, "delete", { filters: { a: "x" }, dry_run: true });
    expect(reply.json.rows).to.deep.equal([
      { a: "x", b: 1 },
      { a: "x", b: 2 },
    ]);
    await post(rowhouse, "delete", { filters: { a: "x", b: 2 } });
    expect(await rowhouse.rows("books")).to.deep.equal([
      { a: "x", b: 1 },
      { a: "y", b: 1 },
    ]);
  });

  it("leaves everything where a trigger refuses one row", async () => {
    const rowhouse = await library({
      sql: "create trigger keep before delete on books when old.id = 3 begin select raise(abort, 'kept'); end",
    });

    const reply = await post(rowhouse, "delete", { all: true });

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["kept"]]);
    expect(await rowhouse.rows("books")).to.deep.equal(books);
  });
});

describe("writing to rows by filter", () => {
  it("needs the permission of the row's own endpoint", async () => {
    const rowhouse = await library({ metadata: allow("update-row", "ann") });

    expect((await post(rowhouse, "update", { all: true, update: {} }, "ann")).status).to.equal(200);
    const reply = await post(rowhouse, "delete", { all: true }, "ann");
    expect([reply.status, reply.json]).to.deep.equal([403, { ok: false, errors: ["Permission denied"] }]);
    expect(await rowhouse.rows("books")).to.deep.equal(books);
  });

  it("needs view-table as well: a filter asks what is in the rows", async () => {
    const rowhouse = await library();
    const token = await rowhouse.rowhouse.service("tokens").createToken("root", {
      restrictResource: { library: { books: ["delete-row"] } },
    });

    const reply = await rowhouse.post("/library/books/-/delete", {
      token,
      json: { filters: { price__gt: 10 }, dry_run: true },
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      403,
      ["Permission denied: need view-table to select rows"],
    ]);
  });

  it("does not reveal whether the table exists to actors who may not view it", async () => {
    const rowhouse = await library({ metadata: { databases: { library: { allow: { id: "root" } } } } });
    const asked = { json: { all: true } };

    const there = await rowhouse.post("/library/books/-/delete", asked);
    const missing = await rowhouse.post("/library/nothing/-/delete", asked);

    expect([there.status, there.text]).to.deep.equal([missing.status, missing.text]);
    expect(there.status).to.equal(403);
  });

  it("reaches no row and no column that is hidden from the actor", async () => {
    const narrow = definePlugin({
      name: "narrow",
      read_scope: (_rowhouse, { actor }) =>
        actor?.id === "ann"
          ? { table: "books", where: "author = :mine", params: { mine: "Austen" }, hiddenColumns: ["price"] }
          : null,
    });
    const rowhouse = await library({ plugins: [narrow], metadata: allow("delete-row", "ann") });

    const hidden = await post(rowhouse, "delete", { filters: { price__gt: 1 } }, "ann");
    expect(hidden.json.errors).to.deep.equal(["no such column: price"]);
    const tried = await post(rowhouse, "delete", { filters: { year__lt: 1816 }, dry_run: true }, "ann");
    expect(tried.json.rows).to.deep.equal([{ id: 1, title: "Emma", author: "Austen", year: 1815 }]);
    const byKey = await post(rowhouse, "delete", { keys: [2, 3] }, "ann");
    expect(byKey.json.row_count).to.equal(1);
    await post(rowhouse, "delete", { all: true }, "ann");
    expect(await titles(rowhouse)).to.deep.equal(["Frankenstein", "Untitled"]);
  });

  it("shows with dry_run also rows that no longer match the filters, to an actor with a row rule", async () => {
    const rowhouse = await library({ plugins: [onlyAusten], metadata: allow("update-row", "ann") });

    const body = { filters: { year: 1815 }, update: { year: 2000 }, dry_run: true };
    const reply = await post(rowhouse, "update", body, "ann");

    expect(reply.json.row_count).to.equal(1);
    expect(reply.json.rows).to.deep.equal([{ ...books[0], year: 2000 }]);
  });

  it("shows with dry_run no row that the update would hide from the actor", async () => {
    const rowhouse = await library({ plugins: [onlyAusten], metadata: allow("update-row", "ann") });

    const body = { filters: { year: 1815 }, update: { author: "Shelley" }, dry_run: true };
    const reply = await post(rowhouse, "update", body, "ann");

    expect([reply.json.row_count, reply.json.rows]).to.deep.equal([1, []]);
  });

  it("refuses views, immutable databases and the engine's own tables", async () => {
    const rowhouse = await library({ views: { v: "select * from books" }, immutable: ["library"] });

    const reply = async (table: string): Promise<unknown> =>
      (await rowhouse.post(`/library/${table}/-/delete`, { as: "root", json: { all: true } })).json.errors;
    expect(await reply("v")).to.deep.equal(["Table not found: v"]);
    expect(await reply("books")).to.deep.equal(["Database is immutable"]);
  });
});
