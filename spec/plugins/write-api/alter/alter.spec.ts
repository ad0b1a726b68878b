import { expect } from "chai";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const SQL = `
create table authors (id integer primary key, name text not null);
insert into authors values (1, 'Jane Austen'), (2, 'Mary Shelley');
create table books (
  id integer primary key, -- counts
  title text not null collate nocase,
  author_id integer references authors(id),
  price numeric(10, 2) default 9.5 check (price >= 0),
  isbn text constraint one_isbn unique,
  shout text generated always as (upper(title)) virtual,
  unique (title, author_id)
);
insert into books (id, title, author_id, price, isbn) values
  (1, 'Emma', 1, 9.5, 'a'), (2, 'Frankenstein', 2, 12, null), (7, 'Persuasion', 1, null, 'c');
create index by_author on books (author_id);
create index cheap on books (title) where price < 10;
create table log (what text);
create trigger noted after insert on books begin insert into log values (new.title); end;
create view titles as select title, price from books;
create table loans (id integer primary key, book_id integer references books(id));
insert into loans values (1, 7);
`;

const library = (contents: Contents = {}): Promise<TestRowhouse> => rowhouseFor({ sql: SQL, ...contents });

const alter = (
  rowhouse: TestRowhouse,
  operations: readonly (readonly [op: string, args: object])[],
  more: { readonly table?: string; readonly body?: object; readonly as?: string } = {},
): Promise<TestReply> =>
  rowhouse.post(`/library/${more.table ?? "books"}/-/alter`, {
    as: more.as ?? "root",
    json: { operations: operations.map(([op, args]) => ({ op, args })), ...more.body },
  });

const addCheck = (expression: string, name?: string): [string, object] => ["add_check", { expression, name }];

const schemaObjects = (rowhouse: TestRowhouse): Promise<Record<string, unknown>[]> =>
  rowhouse.query("select type, name, tbl_name, sql from sqlite_schema order by type, name");

const columns = async (rowhouse: TestRowhouse, table = "books"): Promise<unknown[]> =>
  (await rowhouse.query(`select name from pragma_table_info('${table}')`)).map(({ name }) => name);

const others = ({ name }: Record<string, unknown>): boolean => name !== "books";

describe("POST /:database/:table/-/alter", () => {
  it("answers the schema before and after", async () => {
    const rowhouse = await library({ sql: "create table t (id integer primary key)" });

    const reply = await alter(rowhouse, [["add_column", { name: "slug", type: "text" }]], { table: "t" });

    expect([reply.status, reply.json]).to.deep.equal([
      200,
      {
        ok: true,
        database: "library",
        table: "t",
        table_url: `${rowhouse.origin}/library/t`,
        table_api_url: `${rowhouse.origin}/library/t.json`,
        altered: true,
        schema: "CREATE TABLE t (id integer primary key, [slug] TEXT)",
        before_schema: "CREATE TABLE t (id integer primary key)",
        operations_applied: 1,
      },
    ]);
  });

  it("rebuilds a table without changing anything else", async () => {
    const rowhouse = await library();
    const before = await schemaObjects(rowhouse);
    const rows = await rowhouse.rows("books");

    const reply = await alter(rowhouse, [
      ["alter_column", { name: "isbn", not_null: false, default: "none" }],
    ]);

    expect(reply.json.schema).to.equal(
      [
        'CREATE TABLE "books" (',
        "   id integer primary key,",
        "   title text not null collate nocase,",
        "   author_id integer references authors(id),",
        "   price numeric(10, 2) default 9.5 check (price >= 0),",
        "   isbn text constraint one_isbn unique DEFAULT 'none',",
        "   shout text generated always as (upper(title)) virtual,",
        "   unique (title, author_id)",
        ")",
      ].join("\n"),
    );
    expect(await rowhouse.rows("books")).to.deep.equal(rows);
    expect((await schemaObjects(rowhouse)).filter(others)).to.deep.equal(before.filter(others));
    expect(await rowhouse.query("select what from log")).to.deep.equal([]);
    expect(await rowhouse.query("pragma integrity_check")).to.deep.equal([{ integrity_check: "ok" }]);
  });

  it("keeps every value to the last bit, and rowids as they are", async () => {
    const rowhouse = await library({
      sql:
        "create table t (a, b text); insert into t (rowid, a, b) values (5, 9007199254740993, 'x' || char(0) || 'y'), " +
        "(9, 1e-300, x'00ff'), (-3, 2.0, ''), (12, null, 'é')",
    });
    const quoted = "select rowid, typeof(a), quote(a), typeof(b), hex(b) from t order by rowid";
    const before = await rowhouse.query(quoted);

    await alter(rowhouse, [["reorder_columns", { columns: ["b"] }]], { table: "t" });

    expect(await columns(rowhouse, "t")).to.deep.equal(["b", "a"]);
    expect(await rowhouse.query(quoted)).to.deep.equal(before);
  });

  it("continues the numbers of AUTOINCREMENT", async () => {
    const rowhouse = await library({
      sql: "create table t (id integer primary key autoincrement, a text); insert into t values (41, 'x'), (42, 'y'); delete from t where id = 42",
    });

    await alter(rowhouse, [["alter_column", { name: "a", default: "d" }]], { table: "t" });
    await rowhouse.post("/library/t/-/insert", { as: "root", json: { row: {} } });

    expect(await rowhouse.rows("t")).to.deep.equal([
      { id: 41, a: "x" },
      { id: 43, a: "d" },
    ]);
  });

  describe("columns", () => {
    const added: [args: object, definition: string][] = [
      [{ name: "n", type: "integer" }, "[n] INTEGER"],
      [{ name: "n", type: "float", default: 1.5 }, "[n] FLOAT DEFAULT 1.5"],
      [{ name: "n", type: "text", not_null: true, default: "it's" }, "[n] TEXT NOT NULL DEFAULT 'it''s'"],
      [{ name: "n", default: { $base64: true, encoded: "AAE=" } }, "[n] TEXT DEFAULT x'0001'"],
      [{ name: "n", default_expr: "current_timestamp" }, "[n] TEXT DEFAULT CURRENT_TIMESTAMP"],
      [{ name: "n", type: "integer", fk_table: "authors" }, "[n] INTEGER REFERENCES [authors]([id])"],
    ];
    for (const [args, definition] of added) {
      it(`are added: ${definition}`, async () => {
        const rowhouse = await library();

        const reply = await alter(rowhouse, [["add_column", args]]);

        expect(reply.json.schema).to.include(definition);
        expect(await rowhouse.query("select n from books")).to.have.length(3);
      });
    }

    it("are renamed wherever they are used", async () => {
      const rowhouse = await library();

      const reply = await alter(rowhouse, [["rename_column", { name: "price", to: "cost" }]]);

      expect(reply.status).to.equal(200);
      expect(await rowhouse.query("select * from titles limit 1")).to.deep.equal([
        { title: "Emma", cost: 9.5 },
      ]);
      const [index] = await rowhouse.query("select sql from sqlite_schema where name = 'cheap'");
      expect(index?.["sql"]).to.match(/where "?cost"? < 10/);
    });

    it("change their type, and their values what the type makes of them", async () => {
      const rowhouse = await library({
        sql: "create table t (a text, b integer); insert into t values ('12', 3), ('x', 4)",
      });

      await alter(
        rowhouse,
        [
          ["alter_column", { name: "a", type: "integer" }],
          ["alter_column", { name: "b", type: "text", not_null: true }],
        ],
        { table: "t" },
      );

      expect(await rowhouse.rows("t")).to.deep.equal([
        { a: 12, b: "3" },
        { a: "x", b: "4" },
      ]);
    });

    it("lose a default with null", async () => {
      const rowhouse = await library();

      const reply = await alter(rowhouse, [["alter_column", { name: "price", default: null }]]);

      expect(reply.json.schema).to.include("price numeric(10, 2) check (price >= 0),");
    });

    it("are dropped", async () => {
      const rowhouse = await library();

      await alter(rowhouse, [
        ["drop_column", { name: "isbn" }],
        ["drop_column", { name: "shout" }],
      ]);

      expect(await columns(rowhouse)).to.deep.equal(["id", "title", "author_id", "price"]);
      expect(await rowhouse.query("select title from books where id = 7")).to.deep.equal([
        { title: "Persuasion" },
      ]);
    });

    it("may differ only in the case of a letter outside of ASCII, as in SQLite", async () => {
      const rowhouse = await library({ sql: "create table t (id integer primary key, Ä text, ä text)" });
      const operations = [
        ["rename_column", { name: "ä", to: "ö" }],
        ["add_column", { name: "Ö", type: "text" }],
      ] as const;

      const { status } = await alter(rowhouse, operations, { table: "t" });

      expect([status, await columns(rowhouse, "t")]).to.deep.equal([200, ["id", "Ä", "ö", "Ö"]]);
    });

    it("are put in order, those not named behind", async () => {
      const rowhouse = await library();

      await alter(rowhouse, [["reorder_columns", { columns: ["title", "id"] }]]);

      expect(await columns(rowhouse)).to.deep.equal(["title", "id", "author_id", "price", "isbn"]);
    });

    it("of STRICT tables get types that these allow", async () => {
      const rowhouse = await library({ sql: "create table t (a integer) strict" });

      const reply = await alter(
        rowhouse,
        [
          ["add_column", { name: "b", type: "float" }],
          ["alter_column", { name: "a", type: "float" }],
        ],
        { table: "t" },
      );

      expect(reply.json.schema).to.equal('CREATE TABLE "t" (\n   a REAL,\n   [b] REAL\n) strict');
    });
  });

  describe("keys", () => {
    it("become the primary key, one column or several", async () => {
      const rowhouse = await library({
        sql: "create table t (a integer, b text); insert into t values (3, 'x'), (4, 'y')",
      });

      const one = await alter(rowhouse, [["set_primary_key", { columns: ["a"] }]], { table: "t" });
      expect(one.json.schema).to.include("a integer PRIMARY KEY,");
      const two = await alter(rowhouse, [["set_primary_key", { columns: ["b", "a"] }]], { table: "t" });
      expect(two.json.schema).to.include("PRIMARY KEY ([b], [a])");
      expect((await rowhouse.get("/library/t/y,4.json")).status).to.equal(200);
      const none = await alter(rowhouse, [["set_primary_key", { columns: [] }]], { table: "t" });
      expect(none.json.schema).to.equal('CREATE TABLE "t" (\n   a integer,\n   b text\n)');
      expect(await rowhouse.query("select rowid, * from t")).to.deep.equal([
        { rowid: 3, a: 3, b: "x" },
        { rowid: 4, a: 4, b: "y" },
      ]);
    });

    it("take WITHOUT ROWID away with the last of them", async () => {
      const rowhouse = await library({ sql: "create table t (a text primary key) without rowid" });

      const reply = await alter(rowhouse, [["set_primary_key", { columns: [] }]], { table: "t" });

      expect(reply.json.schema).to.equal('CREATE TABLE "t" (\n   a text\n)');
    });

    it("point at other tables, and stop doing so", async () => {
      const rowhouse = await library({
        sql: "create table a (id integer primary key); create table b (x integer, y integer, foreign key (y) references a(id) on delete set null)",
      });

      const first = await alter(rowhouse, [["add_foreign_key", { column: "x", fk_table: "a" }]], {
        table: "b",
      });
      expect(first.json.schema).to.include("x integer REFERENCES [a]([id])");
      const second = await alter(
        rowhouse,
        [
          ["drop_foreign_key", { column: "x" }],
          ["drop_foreign_key", { column: "y" }],
        ],
        { table: "b" },
      );
      expect(second.json.schema).to.equal('CREATE TABLE "b" (\n   x integer,\n   y integer\n)');
      const key = { column: "y", fk_table: "a", fk_column: "id" };
      await alter(rowhouse, [["set_foreign_keys", { foreign_keys: [key] }]], { table: "b" });
      expect(
        await rowhouse.query('select "from", "table" from pragma_foreign_key_list(\'b\')'),
      ).to.deep.equal([{ from: "y", table: "a" }]);
    });
  });

  describe("names of tables", () => {
    it("change last, and everything that refers to the table follows", async () => {
      const rowhouse = await library();

      const reply = await alter(rowhouse, [
        ["rename_table", { to: "works" }],
        ["add_column", { name: "n", type: "integer" }],
      ]);

      expect(reply.json).to.include({ table: "works", table_url: `${rowhouse.origin}/library/works` });
      expect(await columns(rowhouse, "works")).to.include("n");
      expect(await rowhouse.query("select count(*) as n from titles")).to.deep.equal([{ n: 3 }]);
      expect(await rowhouse.query("select \"table\" from pragma_foreign_key_list('loans')")).to.deep.equal([
        { table: "works" },
      ]);
      expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["alter-table", "rename-table"]);
    });

    it("need the permissions to drop the old and create the new", async () => {
      const rowhouse = await library();
      const token = await rowhouse.rowhouse.service("tokens").createToken("root", {
        restrictAll: ["view-instance", "view-database", "view-table", "alter-table"],
      });
      const ask = (op: string, args: object): Promise<TestReply> =>
        rowhouse.post("/library/books/-/alter", { token, json: { operations: [{ op, args }] } });

      expect((await ask("drop_column", { name: "isbn" })).status).to.equal(200);
      const reply = await ask("rename_table", { to: "open" });
      expect([reply.status, reply.json.errors]).to.deep.equal([
        403,
        ["Operation 0: Permission denied: need create-table and drop-table to rename a table"],
      ]);
    });
  });

  it("shows with dry_run the statements and the schema, and changes nothing", async () => {
    const rowhouse = await library();
    const before = await schemaObjects(rowhouse);

    const reply = await alter(
      rowhouse,
      [
        ["rename_column", { name: "title", to: "name" }],
        ["alter_column", { name: "name", type: "text" }],
      ],
      { body: { dry_run: true } },
    );

    expect(reply.json).to.include({ ok: true, dry_run: true, altered: true, operations_applied: 2 });
    expect(reply.json.schema).to.include("name");
    expect(reply.json.sql[0]).to.equal('alter table "books" rename column "title" to "name"');
    expect(reply.json.sql).to.include('drop table "books"');
    expect(await schemaObjects(rowhouse)).to.deep.equal(before);
    expect(rowhouse.events).to.deep.equal([]);
  });

  it("sends an event with the schema before and after", async () => {
    const rowhouse = await library();

    const { json } = await alter(rowhouse, [["add_column", { name: "n" }]]);

    expect(rowhouse.events[0]).to.deep.include({
      name: "alter-table",
      database: "library",
      table: "books",
      before_schema: json.before_schema,
      after_schema: json.schema,
    });
  });

  const refusals: [name: string, operations: [string, object][], message: string][] = [
    ["a column that is not there", [["drop_column", { name: "x" }]], "Operation 0: no such column: x"],
    [
      "a column that is there already",
      [["add_column", { name: "Title" }]],
      "Operation 0: duplicate column name: Title",
    ],
    [
      "NOT NULL where there are NULLs",
      [["alter_column", { name: "price", not_null: true }]],
      "NOT NULL constraint failed: books.price",
    ],
    [
      "a key that is not unique",
      [["set_primary_key", { columns: ["author_id"] }]],
      "UNIQUE constraint failed: books.author_id",
    ],
    [
      "a key with NULLs",
      [["set_primary_key", { columns: ["isbn"] }]],
      "The column isbn has NULLs: it cannot be a primary key",
    ],
    [
      "dropping the key",
      [["drop_column", { name: "id" }]],
      "Operation 0: Cannot drop column id: it is part of the primary key",
    ],
    [
      "dropping what an index uses",
      [["drop_column", { name: "author_id" }]],
      "Operation 0: Cannot drop column author_id: a constraint of the table uses it: unique (title, author_id)",
    ],
    [
      "dropping what a view shows",
      [["drop_column", { name: "price" }]],
      "Operation 0: Cannot drop column price: the index cheap uses it",
    ],
    [
      "a foreign key to nowhere",
      [["add_foreign_key", { column: "isbn", fk_table: "nope" }]],
      "Operation 0: no such table: nope",
    ],
    [
      "a foreign key that rows do not keep",
      [["add_foreign_key", { column: "price", fk_table: "authors" }]],
      "Foreign keys of 2 rows in books (price) would point at nothing",
    ],
    [
      "a second foreign key",
      [["add_foreign_key", { column: "author_id", fk_table: "authors" }]],
      "Operation 0: The column author_id has a foreign key already",
    ],
    [
      "to leave another table's foreign key pointing at nothing",
      [["set_primary_key", { columns: [] }]],
      "A foreign key of loans would point at columns that are not unique, or not there",
    ],
    ["a reserved name", [["rename_table", { to: "sqlite_x" }]], "Operation 0: Invalid table name"],
    [
      "a name that is taken",
      [["rename_table", { to: "authors" }]],
      "Operation 0: there is already another table or index with this name: authors",
    ],
    [
      "an operation that it does not know",
      [["vacuum", {}]],
      'Operation 0: "op" must be one of add_column, rename_column, alter_column, drop_column, reorder_columns, ' +
        "set_primary_key, add_foreign_key, drop_foreign_key, set_foreign_keys, add_check, drop_check, rename_table",
    ],
    [
      "an argument that it does not know",
      [["drop_column", { nmae: "x" }]],
      'Operation 0: Invalid parameter: "nmae"',
    ],
    [
      "SQL in place of an expression",
      [["add_column", { name: "n", default_expr: "(select 1)" }]],
      'Operation 0: "default_expr" must be one of current_timestamp, current_date, current_time, current_unixtime, current_unixtime_ms',
    ],
    [
      "a type that it does not know",
      [["add_column", { name: "n", type: "money" }]],
      "Operation 0: Unsupported column type: money",
    ],
    [
      "brackets in a name",
      [["add_column", { name: "a[b" }]],
      "Operation 0: '[' and ']' cannot be used in column names",
    ],
    [
      "anything where the last operation fails",
      [
        ["add_column", { name: "n" }],
        ["alter_column", { name: "n", type: "integer" }],
        ["drop_column", { name: "x" }],
      ],
      "Operation 2: no such column: x",
    ],
  ];
  for (const [name, operations, message] of refusals) {
    it(`refuses ${name}, and leaves everything as it was`, async () => {
      const rowhouse = await library();
      const before = await schemaObjects(rowhouse);
      const rows = await rowhouse.rows("books");

      const reply = await alter(rowhouse, operations);

      expect([reply.status, reply.json]).to.deep.equal([400, { ok: false, errors: [message] }]);
      expect(await schemaObjects(rowhouse)).to.deep.equal(before);
      expect(await rowhouse.rows("books")).to.deep.equal(rows);
      expect(rowhouse.events).to.deep.equal([]);
    });
  }

  it("refuses to break a view or a trigger", async () => {
    const rowhouse = await library({
      sql:
        "create table t (a text, b text); create view v as select b from t; create table u (x text); " +
        "create trigger w after insert on u begin update t set b = new.x; end",
    });

    const reply = await alter(rowhouse, [["drop_column", { name: "b" }]], { table: "t" });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      400,
      [
        "The view v would no longer work: no such column: b",
        "The triggers of u would no longer work: no such column: b",
      ],
    ]);
    expect(await columns(rowhouse, "t")).to.deep.equal(["a", "b"]);
  });

  it("is not held up by a view that did not work before", async () => {
    const rowhouse = await library({
      sql: "create table t (a text, b text); create table gone (x); create view v as select x from gone; drop table gone",
    });

    const reply = await alter(rowhouse, [["drop_column", { name: "b" }]], { table: "t" });

    expect(reply.status).to.equal(200);
  });

  it("needs alter-table, which only root has by default", async () => {
    const rowhouse = await library({
      metadata: {
        databases: { library: { tables: { books: { permissions: { "alter-table": { id: "ann" } } } } } },
      },
    });
    const drop: [string, object][] = [["drop_column", { name: "isbn" }]];

    const refused = await alter(rowhouse, drop, { as: "bob" });
    expect([refused.status, refused.json.errors]).to.deep.equal([403, ["Permission denied"]]);
    expect((await alter(rowhouse, drop, { as: "ann" })).status).to.equal(200);
  });

  it("does not reveal by a foreign key what is in a table that the actor may not view", async () => {
    const rowhouse = await library({
      metadata: {
        databases: {
          library: {
            permissions: { "alter-table": { id: "ann" } },
            tables: { authors: { allow: { id: "root" } } },
          },
        },
      },
    });

    const key = { column: "price", fk_table: "authors" };
    const reply = await alter(rowhouse, [["add_foreign_key", key]], { as: "ann" });

    expect(reply.json.errors).to.deep.equal(["Operation 0: no such table: authors"]);
  });

  it("adds and drops checks, which hold for the rows that are there", async () => {
    const rowhouse = await library();
    const after = async (...operations: [string, object][]): Promise<string> =>
      (await alter(rowhouse, operations)).json.schema as string;

    expect(await after(addCheck("PRICE<=1000 and price<>-5 and length(trim(title)) > 0", "sane"))).to.include(
      'CONSTRAINT "sane" CHECK ("price" <= 1000 and "price" <> - 5 and length ( trim ( "title" ) ) > 0)',
    );
    const row = { title: " ", price: 5 };
    const refused = await rowhouse.post("/library/books/-/insert", { as: "root", json: { row } });
    expect(refused.json.errors).to.deep.equal(["CHECK constraint failed: sane"]);
    expect((await alter(rowhouse, [addCheck("price > 10")])).json.errors[0]).to.include(
      "CHECK constraint failed",
    );
    const changed = await after(["drop_check", { expression: "Price>=0" }], ["drop_check", { name: "sane" }]);
    expect(changed).not.to.match(/check/i);
    const gone = await alter(rowhouse, [["drop_check", { name: "sane" }]]);
    expect(gone.json.errors).to.deep.equal(["Operation 0: no such check: sane"]);
  });

  it("refuses texts that UTF-8 cannot encode", async () => {
    const rowhouse = await library();
    const half = "x\ud83d";

    for (const operation of [
      addCheck(`title <> '${half}'`),
      addCheck("price < 100", half),
      ["rename_table", { to: half }],
      ["set_primary_key", { columns: ["id", half] }],
    ] as const) {
      const { status, json } = await alter(rowhouse, [operation]);
      expect(status, operation[0]).to.equal(400);
      expect(json.errors?.join(), operation[0]).to.include("'utf-8' codec can't encode character '\\ud83d'");
    }
  });

  it("refuses expressions of checks that are more than a condition on the columns", async () => {
    const rowhouse = await library();
    const before = await schemaObjects(rowhouse);
    for (const [expression, reason] of [
      ["", "is empty"],
      ["price > (select 1)", "names select"],
      ["exists(select 1)", "cannot call exists"],
      ["randomblob(1000000000) > 0", "cannot call randomblob"],
      ['"load_extension"(title)', 'cannot contain "load_extension"'],
      ["price > 0) , (1", "brackets"],
      ["price > 0; drop table authors", "cannot contain ;"],
      ["price > 0 -- x", "comment"],
      ["price > :a", "cannot contain :a"],
      ["e'a' = title", "cannot contain e'a'"],
      ["title = 'a\\'", "cannot contain"],
      ["authors.name = 1", "names authors"],
      ["nothing > 0", "names nothing, which is not a column"],
      ["current_user = title", "names current_user"],
      [`${"(".repeat(40)}1${")".repeat(40)}`, "more than 30 brackets"],
      ["price > 1 or ".repeat(500), "longer"],
    ] as const) {
      const reply = await alter(rowhouse, [["add_check", { expression }]]);
      expect([reply.status, reply.json.errors[0]], expression).to.deep.equal([400, reply.json.errors[0]]);
      expect(reply.json.errors[0]).to.include(reason);
      const created = await rowhouse.post("/library/-/create", {
        as: "root",
        json: { table: "made", columns: [{ name: "price" }, { name: "title" }], checks: [{ expression }] },
      });
      expect(created.status, expression).to.equal(400);
    }
    expect(await schemaObjects(rowhouse)).to.deep.equal(before);
  });

  it("refuses views, virtual tables and immutable databases", async () => {
    const rowhouse = await library({
      sql: `${SQL} create virtual table words using fts5(w);`,
      databases: { still: "create table t (a)" },
      immutable: ["still"],
    });
    const add: [string, object][] = [["add_column", { name: "n" }]];

    const view = await alter(rowhouse, add, { table: "titles" });
    expect([view.status, view.json.errors]).to.deep.equal([404, ["Table not found: titles"]]);
    const virtual = await alter(rowhouse, add, { table: "words" });
    expect(virtual.json.errors).to.deep.equal(["Cannot alter a virtual table: words"]);
    const shadow = await alter(rowhouse, add, { table: "words_data" });
    expect(shadow.json.errors).to.deep.equal(["Table is not writable: words_data"]);
    const still = await rowhouse.post("/still/t/-/alter", { as: "root", json: { operations: [] } });
    expect([still.status, still.json.errors]).to.deep.equal([403, ["Database is immutable"]]);
  });
});
