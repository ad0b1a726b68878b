import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const WRITES = ["insert-row", "update-row", "delete-row"];

const LIBRARY = `
  create table authors (id integer primary key autoincrement, name text not null unique);
  create table books (id integer primary key, title text, author integer references authors (id));
  create table log (what text);
  create view closed as select title as shut from books;
  create table secrets (id integer primary key, word text);
  insert into secrets values (1, 'sesame');
  insert into authors (name) values ('Jane Austen'), ('Mary Shelley');
  insert into books values (1, 'Emma', 1), (2, 'Persuasion', 1), (3, 'Frankenstein', 2);
  create trigger noted after insert on books begin insert into log values ('+ ' || new.title); end;`;

/** Ann may run writing SQL and write books and the log; secrets are only for root. */
const METADATA = {
  databases: {
    library: {
      permissions: { "execute-write-sql": { id: ["ann", "reader"] } },
      tables: {
        books: { permissions: Object.fromEntries(WRITES.map((action) => [action, { id: "ann" }])) },
        log: { permissions: Object.fromEntries(WRITES.map((action) => [action, { id: "ann" }])) },
        secrets: { allow: { id: "root" } },
        closed: { allow: { id: "root" } },
      },
    },
  },
};

const DENIED = "Permission denied: this statement uses something that does not exist or that you may not use";

interface Statement {
  readonly sql: string;
  readonly params?: object;
  readonly dry_run?: boolean;
}

const execute = (rowhouse: TestRowhouse, json: Statement | object, as = "root"): Promise<TestReply> =>
  rowhouse.post("/library/-/execute-write", { as, json });

const serve = (): Promise<TestRowhouse> => rowhouseFor({ sql: LIBRARY, metadata: METADATA });

describe("SQL of a client that writes", () => {
  it("runs, and says how many rows it changed and what it used", async () => {
    const rowhouse = await serve();

    const { status, text } = await execute(rowhouse, {
      sql: "insert into authors (name) values (:name)",
      params: { name: "Virginia Woolf" },
    });

    expect(status).to.equal(200);
    expect(text).to.equal(
      '{"ok": true, "message": "Query executed, 1 row affected", "rowcount": 1, "rows": [], "truncated": false, ' +
        '"analysis": [{"operation": "insert", "database": "library", "table": "authors", ' +
        '"required_permission": "insert-row, update-row, delete-row", "source": null}]}',
    );
    expect(await rowhouse.rows("authors")).to.deep.include({ id: 3, name: "Virginia Woolf" });
  });

  it("returns the first ten rows of RETURNING, with exact values", async () => {
    const rowhouse = await serve();
    const sql = `insert into books (title) with recursive n(i) as (select 1 union all select i + 1 from n where i < 12)
      select 'Volume ' || i from n returning title, 9007199254740993 as large, x'00ff' as bytes`;

    const { json, text } = await execute(rowhouse, { sql });

    expect(json).to.include({ rowcount: 12, truncated: true });
    expect(json.rows).to.have.length(10);
    expect(text).to.include(
      '{"title": "Volume 1", "large": 9007199254740993, "bytes": {"$base64": true, "encoded": "AP8="}}',
    );
  });

  it("binds values by their type, exactly", async () => {
    const rowhouse = await serve();
    const params = `{"a": 9223372036854775807, "b": 1.0, "c": {"$base64": true, "encoded": "AP8="}, "d": [1, 2], "e": null}`;
    const sql =
      "update books set title = typeof(:a) || :a || typeof(:b) || typeof(:c) || :d || typeof(:e) where id = 1";

    const { json } = await rowhouse.post("/library/-/execute-write", {
      as: "root",
      body: `{"sql": ${JSON.stringify(sql)}, "params": ${params}}`,
      headers: { "content-type": "application/json" },
    });

    expect(json).to.include({ ok: true, rowcount: 1 });
    const [emma] = await rowhouse.rows("books");
    expect(emma).to.include({ title: "integer9223372036854775807realblob[1, 2]null" });
  });

  it("can be tried with dry_run, which changes nothing", async () => {
    const rowhouse = await serve();
    const before = await rowhouse.rows("books");

    const { json } = await execute(rowhouse, { sql: "delete from books where author = 1", dry_run: true });

    expect(json).to.include({ ok: true, dry_run: true, rowcount: 2 });
    expect(await rowhouse.rows("books")).to.deep.equal(before);
  });

  it("runs once with an Idempotency-Key, also if the request is repeated", async () => {
    const rowhouse = await serve();
    const request = {
      as: "root",
      headers: { "idempotency-key": "one" },
      json: { sql: "insert into books (title) values ('Sanditon') returning id" },
    };

    const first = await rowhouse.post("/library/-/execute-write", request);
    const second = await rowhouse.post("/library/-/execute-write", request);
    const missing = await execute(rowhouse, { sql: "delete from nowhere" });
    const reading = await execute(rowhouse, {
      sql: "insert into log (what) select count(*) from _rowhouse_idempotency",
    });

    expect(first.json.rows).to.deep.equal([{ id: 4 }]);
    expect(second.text).to.equal(first.text);
    expect(second.headers["idempotency-replayed"]).to.equal("true");
    expect(await rowhouse.rows("books")).to.have.length(4);
    expect(missing.json.errors).to.deep.equal(["no such table: nowhere"]);
    expect([reading.status, await rowhouse.rows("log")]).to.deep.equal([403, [{ what: "+ Sanditon" }]]);
  });

  it("names the trigger that writes another table, and the tables that are read", async () => {
    const rowhouse = await serve();

    const { json } = await execute(rowhouse, {
      sql: "insert into books (title) select 'By ' || name from authors where id = 2",
    });

    expect(await rowhouse.rows("log")).to.deep.equal([{ what: "+ By Mary Shelley" }]);
    expect(json.analysis).to.deep.equal([
      ...[
        ["books", null],
        ["log", "noted"],
      ].map(([table, source]) => ({
        operation: "insert",
        database: "library",
        table,
        required_permission: "insert-row, update-row, delete-row",
        source,
      })),
      {
        operation: "read",
        database: "library",
        table: "authors",
        required_permission: "view-table",
        source: null,
      },
    ]);
  });

  it("is one write: a row that fails leaves nothing behind", async () => {
    const rowhouse = await serve();

    const { status, json } = await execute(rowhouse, {
      sql: "insert into authors (name) select 'New' union all select 'Jane Austen'",
    });

    expect(status).to.equal(400);
    expect(json).to.deep.equal({ ok: false, errors: ["UNIQUE constraint failed: authors.name"] });
    expect(await rowhouse.rows("authors")).to.have.length(2);
  });

  it("keeps a search index of triggers up to date", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table notes (id integer primary key, body text);
        create virtual table notes_fts using fts5(body, content='notes', content_rowid='id');
        create trigger added after insert on notes begin
          insert into notes_fts (rowid, body) values (new.id, new.body);
        end;`,
    });

    const { status, text } = await execute(rowhouse, {
      sql: "insert into notes (body) values ('a lighthouse')",
    });

    expect(status, text).to.equal(200);
    const { json } = await rowhouse.get("/library/notes.json?_search=lighthouse&_shape=array");
    expect(json).to.deep.equal([{ id: 1, body: "a lighthouse" }]);
  });

  it("is an event with the statement, and what it changed", async () => {
    const events: TrackedEvent[] = [];
    const observer = definePlugin({
      name: "observer",
      track_event: (_rowhouse, { event }) => void events.push(event),
    });
    const rowhouse = await rowhouseFor({ sql: LIBRARY, plugins: [observer] });

    await execute(rowhouse, { sql: "delete from books where id = 1", dry_run: true });
    await execute(rowhouse, { sql: "insert into books (title) values ('Sanditon')" });

    expect(events.map(({ created: _created, ...event }) => event)).to.deep.equal([
      {
        name: "execute-write",
        actor: { id: "root" },
        database: "library",
        sql: "insert into books (title) values ('Sanditon')",
        tables: ["books", "log"],
        num_rows: 1,
      },
    ]);
  });

  it("ends at the time limit and leaves nothing behind, while other writes continue", async () => {
    const rowhouse = await rowhouseFor({ sql: LIBRARY, settings: { sql_time_limit_ms: 100 } });
    const endless =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select 'Volume ' || i from n";

    const [{ status, json }, other] = await Promise.all([
      execute(rowhouse, { sql: `insert into books (title) ${endless}` }),
      rowhouse.post("/library/authors/-/insert", { as: "root", json: { row: { name: "Ada" } } }),
    ]);

    expect(status).to.equal(400);
    expect(json.errors).to.deep.equal(["The statement took longer than 100 ms. Nothing was changed"]);
    expect(other.status).to.equal(201);
    expect(await rowhouse.rows("books")).to.have.length(3);
  });

  it("may not take long to compile, either", async () => {
    const rowhouse = await rowhouseFor({ sql: LIBRARY, settings: { sql_time_limit_ms: 200 } });
    const doubling = Array.from(
      { length: 24 },
      (_one, index) => `a${index + 1} as (select * from a${index} union all select * from a${index})`,
    );
    const began = performance.now();

    const { status } = await execute(rowhouse, {
      sql: `with a0 as (select 1 as x), ${doubling.join(", ")} insert into books (id) select x from a24`,
    });

    expect(status).to.equal(400);
    expect(performance.now() - began).to.be.below(5_000);
  });
});

describe("SQL of a client that may not be run", () => {
  let rowhouse: TestRowhouse;
  let untouched: readonly object[];
  before(async () => {
    rowhouse = await serve();
    untouched = await rowhouse.rows("books");
  });
  afterEach(async () => expect(await rowhouse.rows("books")).to.deep.equal(untouched));

  const invalid: Readonly<Record<string, readonly [json: object, message: string]>> = {
    "a list": [[], "JSON must be a dictionary"],
    "no statement": [{}, '"sql" must be a statement'],
    "another member": [{ sql: "delete from books", values: {} }, 'Invalid parameter: "values"'],
    "a list of values": [{ sql: "delete from books", params: [1] }, '"params" must be an object'],
    "a value too few": [
      { sql: "delete from books where id = :id" },
      "You did not supply a value for binding parameter :id.",
    ],
    "a value too many": [
      { sql: "delete from books", params: { id: 1 } },
      "The statement has no parameter :id",
    ],
    "a nameless parameter": [
      { sql: "delete from books where id = ?" },
      "Parameters must have names, such as :name",
    ],
    "a SELECT": [{ sql: "select 1" }, "Statement must be an INSERT, UPDATE or DELETE"],
    "a SELECT after WITH": [
      { sql: "with a as (select 1) select * from a" },
      "Statement must be an INSERT, UPDATE or DELETE",
    ],
    "a change of the structure": [
      { sql: "drop table books" },
      "Statement must be an INSERT, UPDATE or DELETE",
    ],
    VACUUM: [{ sql: "vacuum" }, "Statement must be an INSERT, UPDATE or DELETE"],
    ATTACH: [{ sql: "attach 'x.db' as x" }, "Statement must be an INSERT, UPDATE or DELETE"],
    "two statements": [
      { sql: "delete from books; delete from log" },
      "You can only execute one statement at a time.",
    ],
    "a table that does not exist": [{ sql: "delete from pamphlets" }, "no such table: pamphlets"],
    "the table of tables": [{ sql: "delete from sqlite_schema" }, "table sqlite_master may not be modified"],
    "a counter of keys": [{ sql: "delete from sqlite_sequence" }, "Table is not writable: sqlite_sequence"],
    "a long search": [
      { sql: "update books set title = replace(title, title || 'a', 'b')" },
      "The second argument of replace must be a text of at most 1000 characters",
    ],
    "digits of which many are ignored": [
      { sql: "update books set title = unhex(title, title)" },
      "The second argument of unhex must be a text of at most 1000 characters",
    ],
    "a patch of many members": [
      { sql: "update books set title = json_patch('{}', :patch)", params: { patch: "{}" } },
      "The second argument of json_patch must be a text of at most 1000 characters",
    ],
    "a patch of binary JSON": [
      { sql: "update books set title = jsonb_patch('{}', title)" },
      "The second argument of json_patch must be a text of at most 1000 characters",
    ],
    "a long pattern": [
      { sql: "update books set title = title like :pattern", params: { pattern: "%".padEnd(101, "a") } },
      "LIKE or GLOB pattern too complex",
    ],
    "a short statement that is compiled to a long one": [
      { sql: `${doubled(12)} update books set title = title where id in (select x from c12)` },
      'The compiled statement is too long: send a list of values as one JSON text in "params"',
    ],
  };
  for (const [what, [json, message]] of Object.entries(invalid))
    it(`is 400: ${what}`, async () => {
      const { status, json: document } = await execute(rowhouse, json);

      expect(document).to.deep.equal({ ok: false, errors: [message] });
      expect(status).to.equal(400);
    });

  it("takes a long list of values as one parameter", async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const { json } = await execute(rowhouse, {
      sql: "update books set title = title where id in (select value from json_each(:ids))",
      params: { ids: JSON.stringify(ids) },
      dry_run: true,
    });

    expect(json.errors).to.equal(undefined);
    expect(json.rowcount).to.be.greaterThan(0);
  });

  it("is 403 without the permission, which only root has at first", async () => {
    const { status, json } = await execute(rowhouse, { sql: "delete from books" }, "visitor");

    expect(status).to.equal(403);
    expect(json).to.deep.equal({ ok: false, errors: ["Permission denied: need execute-write-sql"] });
  });

  it("is 403 without the permissions for each table, those of triggers included", async () => {
    const reader = await execute(rowhouse, { sql: "insert into books (title) values ('x')" }, "reader");
    const ann = await execute(rowhouse, { sql: "update authors set name = 'x'" }, "ann");

    expect([reader.status, ann.status]).to.deep.equal([403, 403]);
    expect(reader.json.errors).to.deep.equal([
      "Permission denied: need insert-row, update-row, delete-row on books",
    ]);
    expect(ann.json.errors).to.deep.equal([
      "Permission denied: need insert-row, update-row, delete-row on authors",
    ]);
  });

  const hidden = {
    "update books set title = (select word from secrets)":
      "update books set title = (select word from nothing)",
    "update books set title = (select nope from secrets)":
      "update books set title = (select nope from nothing)",
    "delete from secrets": "delete from nothing",
    "insert into log select shut from closed": "insert into log select shut from nothing",
    "insert into log select nope from closed": "insert into log select nope from nothing",
    "insert into secrets (nope) values (1)": "insert into nothing (nope) values (1)",
    "delete from books where id in (select id from secrets where word like 's%')": "delete from books where",
  };
  for (const [sql, missing] of Object.entries(hidden))
    it(`says the same of what is hidden and of what does not exist: ${sql}`, async () => {
      const replies = [
        await execute(rowhouse, { sql }, "ann"),
        await execute(rowhouse, { sql: missing }, "ann"),
      ];

      for (const { status, json } of replies) {
        expect(status).to.equal(403);
        expect(json).to.deep.equal({ ok: false, errors: [DENIED] });
      }
    });

  const usable = {
    "update books set title = 'x' where id = 1": 1,
    "insert into books (title) select name from authors": 2,
    "insert into log with secrets as (select 1 as closed) select closed as shut from secrets": 1,
    "delete from log where what in (select title as closed from books)": 0,
  };
  for (const [sql, count] of Object.entries(usable))
    it(`runs for an actor from whom something else is hidden: ${sql}`, async () => {
      const { status, text, json } = await execute(rowhouse, { sql, dry_run: true }, "ann");

      expect(status, text).to.equal(200);
      expect(json).to.include({ rowcount: count });
    });

  it("is refused to a token that is restricted to other actions", async () => {
    const { status, json } = await rowhouse.post("/library/-/execute-write", {
      as: { id: "root", token: "rhtok", _r: { a: ["ir", "ur", "dr"] } },
      json: { sql: "delete from books" },
    });

    expect(status).to.equal(403);
    expect(json.errors).to.deep.equal(["Permission denied: need execute-write-sql"]);
  });
});

describe("SQL that writes, beside hidden rows", () => {
  it("is refused for tables of which the actor may see only a part", async () => {
    const rowhouse = await rowhouseFor({
      sql: LIBRARY,
      metadata: METADATA,
      plugins: [
        definePlugin({
          name: "own-rows",
          read_scope: (_rowhouse, { actor }) =>
            actor?.id === "ann" ? { table: "books", where: "author = 1" } : null,
        }),
      ],
    });

    const ann = await execute(rowhouse, { sql: "delete from books where author = 2" }, "ann");
    const root = await execute(rowhouse, { sql: "delete from books where author = 2" });

    expect(ann.status).to.equal(403);
    expect(ann.json.errors).to.deep.equal([DENIED]);
    expect(root.json).to.include({ rowcount: 1 });
  });
});

/** Common table expressions of which each uses the one before twice, so that SQLite compiles the last one 2^n times. */
function doubled(times: number): string {
  const steps = Array.from(
    { length: times },
    (_, n) => `c${n + 1} as (select x from c${n} union all select x from c${n})`,
  );
  return `with ${["c0 as (select 1 x)", ...steps].join(", ")}`;
}
