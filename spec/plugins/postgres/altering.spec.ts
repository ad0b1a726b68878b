import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { SHOP } from "./shop.js";

interface Answer {
  readonly ok: boolean;
  readonly errors?: readonly string[];
  readonly schema?: string;
  readonly sql?: readonly string[];
  readonly altered?: boolean;
}

const op = (name: string, args: object = {}): object => ({ op: name, args });

describePostgres("altering tables of a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  let database = "";
  beforeEach(async () => {
    const uri = await server().createDatabase(
      `${SHOP} create table notes (id bigint primary key, "A text" text default '5', n bigint not null, author int);
       insert into notes values (1, '12', 3, 1), (2, null, 4, 2);`,
    );
    database = uri.split("/").at(-1) ?? "";
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, body: unknown): Promise<TestReply> =>
    rowhouse.post(`/shop/${path}`, {
      as: "root",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const alter = async (table: string, operations: readonly object[], more: object = {}): Promise<Answer> =>
    (await post(`${table}/-/alter`, { operations, ...more })).json as Answer;
  const errorsOf = async (table: string, one: object) => (await alter(table, [one])).errors;
  const stored = (sql: string) => server().run(sql, database);

  it("notices that another program has renamed a type", async () => {
    for (const id of [7, 8]) {
      if (id === 8) await stored("alter type mood rename to feeling");
      const { status, text } = await post("books/-/insert", { row: { id, mood: "ok" } });
      expect(status, text).to.equal(201);
    }
  });

  it("adds, changes, renames and drops columns, and renames the table last", async () => {
    const answer = await alter("notes", [
      op("rename_table", { to: "Notes 2" }),
      op("add_column", { name: "made", type: "text", default_expr: "current_timestamp", not_null: true }),
      op("add_column", { name: "raw", type: "blob", default: { $base64: true, encoded: "AP8=" } }),
      op("alter_column", { name: "A text", type: "integer" }),
      op("alter_column", { name: "n", not_null: false, default: 7 }),
      op("rename_column", { name: "A text", to: "number" }),
      op("drop_column", { name: "author" }),
    ]);

    expect(answer.errors).to.equal(undefined);
    expect(answer).to.include({ ok: true, altered: true, operations_applied: 7, table: "Notes 2" });
    expect(answer.schema).to.contain("number bigint DEFAULT").and.contain("n bigint DEFAULT 7,");
    await stored(`insert into "Notes 2" (id) values (3)`);
    expect(
      await stored(`select number::int, n::int, raw, made ~ '^20..-' as dated from "Notes 2" where id <> 2`),
    ).to.deep.equal([
      { number: 12, n: 3, raw: Buffer.from([0, 255]), dated: true },
      { number: 5, n: 7, raw: Buffer.from([0, 255]), dated: true },
    ]);
  });

  it("refuses names that the server would cut", async () => {
    const long = "n".repeat(64);
    const message = `The name ${long} is longer than 63 bytes`;
    const replies = [
      await post("-/create", { table: long, row: { id: 1 } }),
      await post("-/create", { table: "short", rows: [{ id: 1, [long]: "x" }] }),
      await post("notes/-/insert", { row: { id: 90, [long]: "x" }, alter: true }),
    ];

    for (const { json } of replies) expect((json as Answer).errors).to.deep.equal([message]);
    for (const one of [
      op("add_column", { name: long, type: "text" }),
      op("rename_column", { name: "n", to: long }),
      op("rename_table", { to: long }),
    ])
      expect(await errorsOf("notes", one)).to.deep.equal([`Operation 0: ${message}`]);
    expect((await post("-/create", { table: long.slice(1), row: { id: 1 } })).status).to.equal(201);
  });

  it("gives no column two foreign keys", async () => {
    const key = { column: "author", fk_table: "authors" };

    expect(await errorsOf("notes", op("set_foreign_keys", { foreign_keys: [key, key] }))).to.deep.equal([
      "Operation 0: The column author has a foreign key already",
    ]);
  });

  it("changes primary and foreign keys, which then give links", async () => {
    expect(
      await alter("notes", [op("add_foreign_key", { column: "author", fk_table: "authors" })]),
    ).to.include({ ok: true });
    const page = await rowhouse.get("/shop/notes/1", { as: "root" });
    expect(page.text).to.contain("Jane Austen");
    expect(
      await alter("notes", [op("add_foreign_key", { column: "author", fk_table: "authors" })]),
    ).to.deep.include({
      errors: ["Operation 0: The column author has a foreign key already"],
    });

    const changed = await alter("notes", [
      op("drop_foreign_key", { column: "author" }),
      op("set_foreign_keys", { foreign_keys: [{ column: "n", fk_table: "books", fk_column: "id" }] }),
    ]);
    expect(changed.ok, "4 is no book").to.equal(false);

    expect((await alter("notes", [op("set_primary_key", { columns: ["id", "n"] })])).schema).to.contain(
      "PRIMARY KEY (id, n)",
    );
    expect((await alter("notes", [op("set_primary_key", { columns: [] })])).ok).to.equal(true);
    expect((await rowhouse.get("/shop/notes.json?_shape=array", { as: "root" })).text).to.contain(
      '"rowid": 1',
    );
    expect((await alter("notes", [op("set_primary_key", { columns: ["id"] })])).schema).to.not.contain(
      "rowid",
    );
  });

  it("changes nothing on a dry run or an error, which names its operation", async () => {
    const before = await stored(
      "select attname from pg_attribute where attrelid = 'notes'::regclass and attnum > 0",
    );

    const tried = await alter("notes", [op("drop_column", { name: "n" })], { dry_run: true });
    const wrong = await alter("notes", [
      op("drop_column", { name: "n" }),
      op("alter_column", { name: "A text", type: "float", default: "x" }),
    ]);

    expect(tried).to.deep.include({ dry_run: true, sql: ['alter table "notes" drop column "n"'] });
    expect(wrong.errors?.[0]).to.match(/^Operation 1: .*invalid input syntax/);
    expect(
      await stored("select attname from pg_attribute where attrelid = 'notes'::regclass and attnum > 0"),
    ).to.deep.equal(before);
  });

  it("adds checks and drops them by name or expression, and creates tables with them", async () => {
    const added = op("add_check", { expression: "N > 0 and \"A text\" <> lower('X')", name: "sane" });
    expect(await errorsOf("notes", added)).to.equal(undefined);
    const row = { id: 9, n: -1, "A text": "a" };
    expect(((await post("notes/-/insert", { row })).json as Answer).errors?.[0]).to.include("sane");
    expect((await errorsOf("notes", op("add_check", { expression: "n > 3" })))?.[0]).to.include(
      "CHECK constraint failed",
    );
    expect((await errorsOf("notes", op("add_check", { expression: "pg_sleep(1) is null" })))?.[0]).to.include(
      "cannot call pg_sleep",
    );
    expect(await errorsOf("notes", op("drop_check", { name: "sane" }))).to.equal(undefined);
    const columns = [{ name: "stars", type: "integer" }];
    await post("-/create", { table: "rated", columns, checks: [{ expression: "stars between 1 and 5" }] });
    expect(((await post("rated/-/insert", { row: { stars: 9 } })).json as Answer).ok).to.equal(false);
    const dropped = op("drop_check", { expression: "stars >= 1 AND stars <= 5" });
    expect(await errorsOf("rated", dropped)).to.equal(undefined);
  });

  it("refuses checks that cast to a type which has the name of a column", async () => {
    for (const [expression, reason] of [
      ["regclass '\"secret\"' is null", "cannot contain regclass'\"secret\"'"],
      [
        'cast(\'"secret"\' as "regclass") is null',
        'cannot cast to "regclass". It can cast to integer, bigint, text, real, numeric',
      ],
    ]) {
      const columns = [{ name: "regclass", type: "text" }];
      const { status, json } = await post("-/create", { table: "made", columns, checks: [{ expression }] });
      expect([status, json.errors]).to.deep.equal([400, [`The expression of a check ${reason}`]]);
    }
  });

  it("refuses what the engine can't do, and columns that are used", async () => {
    expect(await errorsOf("notes", op("reorder_columns", { columns: ["n"] }))).to.deep.equal([
      "Operation 0: The engine of this database does not reorder columns",
    ]);
    expect(await errorsOf("notes", op("drop_column", { name: "id" }))).to.deep.equal([
      "Operation 0: Cannot drop column id: it is part of the primary key",
    ]);
    expect(await errorsOf("books", op("drop_column", { name: "author_id" }))).to.deep.equal([
      "Operation 0: Cannot drop column author_id: the index books_author uses it",
    ]);
    expect((await errorsOf("books", op("drop_column", { name: "price" })))?.[0]).to.contain(
      "other objects depend on it",
    );
    expect(await errorsOf("notes", op("rename_column", { name: "gone", to: "x" }))).to.deep.equal([
      "Operation 0: no such column: gone",
    ]);
  });

  it("describes only these operations, and offers the page of the structure", async () => {
    const document = (await rowhouse.get("/-/openapi.json", { as: "root" })).json as {
      readonly paths: Readonly<Record<string, unknown>>;
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    };
    const body = JSON.stringify(document.components.schemas["Body_alter_table_in_place"]);
    expect(JSON.stringify(document.paths["/shop/notes/-/alter"])).to.contain("Body_alter_table_in_place");
    expect(body).to.contain("set_primary_key").and.not.contain("reorder_columns");

    const page = await rowhouse.get("/shop/notes/-/structure", { as: "root" });
    expect(page.status).to.equal(200);
    expect(page.text).to.contain('value="A text"');
  });
});
