import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table always (id int generated always as identity primary key, name text);
  insert into always (name) values ('one'), ('two');
  create table later (id int primary key deferrable initially deferred, name text, note text);
  insert into later values (1, 'one', 'kept');
  create table parent (id int primary key, name text);
  create table child (more text) inherits (parent);
  insert into parent values (1, 'one'), (2, 'two');
  insert into child values (1, 'other', 'x'), (3, 'three', 'y');
  create table loose (a int);
  create sequence "Shared ids"; create table shared (id int primary key default nextval('"Shared ids"'), name text);`;

describePostgres("keys as PostgreSQL tables declare them", (server) => {
  let rowhouse: TestRowhouse;
  let name = "";
  beforeEach(async () => {
    const uri = await server().createDatabase(SCRIPT);
    name = uri.split("/").at(-1) ?? "";
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, json: object): Promise<TestReply> =>
    rowhouse.post(`/shop/${path}`, { as: "root", json });
  const rows = async (table: string, order = "id"): Promise<unknown> =>
    (await rowhouse.get(`/shop/${table}.json?_shape=arrays&_order=${order}`)).json;
  const stored = async (table: string, order?: string): Promise<unknown> =>
    ((await rows(table, order)) as { readonly rows: unknown }).rows;

  it("are stored as sent if they are GENERATED ALWAYS, and assigned after these", async () => {
    const replies = [
      await post("always/-/insert", { rows: [{ id: 7, name: "seven" }] }),
      await post("always/-/insert", { rows: [{ id: 1, name: "ONE" }], replace: true }),
      await post("always/-/insert", { rows: [{ id: 1, name: "ignored" }], ignore: true }),
      await post("always/-/upsert", { rows: [{ id: 2, name: "TWO" }] }),
      await post("always/-/insert", { row: { name: "eight" } }),
    ];

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
    expect(await stored("always")).to.deep.equal([
      [1, "ONE"],
      [2, "TWO"],
      [7, "seven"],
      [8, "eight"],
    ]);
  });

  it("are assigned after those that were sent, also from a sequence that does not belong to the table", async () => {
    await post("shared/-/insert", { rows: [{ id: 2, name: "sent" }] });
    const replies = [
      await post("shared/-/insert", { row: { name: "a" } }),
      await post("shared/-/upsert", { rows: [{ id: 9, name: "sent" }] }),
      await post("shared/-/insert", { row: { name: "b" } }),
    ];

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
    expect(await stored("shared")).to.deep.equal([
      [2, "sent"],
      [3, "a"],
      [9, "sent"],
      [10, "b"],
    ]);
  });

  it("are stored as sent by a login that may take the next value of the sequence, but not set it", async () => {
    await server().run(
      `create role ${name}_taker login; grant all on always to ${name}_taker; create table taken (id serial primary key);
       grant all on taken to ${name}_taker; grant usage, select on sequence taken_id_seq to ${name}_taker`,
      name,
    );
    const uri = server().url(name).replace("//rowhouse@", `//${name}_taker@`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "taker", mutable: true });
    const replies = [
      await rowhouse.post("/taker/taken/-/insert", { as: "root", json: { rows: [{ id: 7 }, { id: 8 }] } }),
      await rowhouse.post("/taker/taken/-/upsert", { as: "root", json: { rows: [{ id: 9 }] } }),
      await rowhouse.post("/taker/taken/-/insert", { as: "root", json: { row: {} } }),
    ];

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
  });

  it("are restored by the undo of a deletion if they are GENERATED ALWAYS", async () => {
    const deleted = await post("-/batch", {
      undo: true,
      operations: [{ op: "delete", table: "always", key: "1" }],
    });
    const { undo } = deleted.json as { readonly undo: string };
    const restored = await post("-/batch", { operations: JSON.parse(undo) as unknown });

    expect(restored.status, restored.text).to.equal(200);
    expect(await stored("always")).to.deep.equal([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("are not restored if another column has the name of one of theirs meanwhile", async () => {
    const deleted = await post("-/batch", {
      undo: true,
      operations: [{ op: "delete", table: "later", key: 1 }],
    });
    await server().run(
      "alter table later rename name to x; alter table later rename note to name; alter table later rename x to note",
      name,
    );
    const { undo } = deleted.json as { readonly undo: string };
    const refused = await post("-/batch", { operations: JSON.parse(undo) as unknown });

    expect([refused.status, refused.json.errors]).to.deep.equal([
      412,
      ["Operation 0: The columns of later have changed"],
    ]);
    expect(await server().run("select * from later", name)).to.deep.equal([]);
  });

  it("take upserts if they are DEFERRABLE, and say why they take no others", async () => {
    const upserted = await post("later/-/upsert", {
      rows: [
        { id: 1, name: "ONE" },
        { id: 2, name: "two" },
      ],
    });
    const others = [
      await post("later/-/insert", { rows: [{ id: 1 }], replace: true }),
      await post("later/-/insert", { rows: [{ id: 1 }], ignore: true }),
    ];

    expect(upserted.status, upserted.text).to.equal(200);
    for (const { status, text } of others) {
      expect(status, text).to.equal(400);
      expect(text).to.contain("Rows can't be ignored or replaced: a key of the table is DEFERRABLE");
    }
    expect(await stored("later")).to.deep.equal([
      [1, "ONE", "kept"],
      [2, "two", null],
    ]);
  });

  it("change no row of a table that inherits and has the same key", async () => {
    const before = await stored("parent", "id,name");
    const refused = [
      await post("parent/1/-/update", { update: { name: "x" } }),
      await post("parent/1/-/delete", {}),
      await post("parent/-/update", { filters: { name: "one" }, update: { name: "x" } }),
      await post("parent/-/delete", { filters: { name: "one" } }),
      await post("parent/-/upsert", { rows: [{ id: 1, name: "x" }] }),
    ];

    for (const { status, text } of refused) {
      expect(status, text).to.equal(409);
      expect(text).to.contain("Several rows of parent have the same key");
    }
    expect(await stored("parent", "id,name")).to.deep.equal(before);
    expect((await post("parent/2/-/update", { update: { name: "TWO" } })).status).to.equal(200);
    expect((await post("parent/-/upsert", { rows: [{ id: 3, name: "THREE" }] })).status).to.equal(200);
    expect(await stored("child", "id,name")).to.deep.include([3, "THREE", "y"]);
    expect((await post("parent/-/delete", { filters: { id: 3 } })).json).to.deep.equal({
      ok: true,
      row_count: 1,
    });
  });

  it("are missing for writes by filters, which say so", async () => {
    for (const reply of [
      await post("loose/-/update", { filters: { a: 1 }, update: { a: 2 } }),
      await post("loose/-/delete", { filters: { a: 1 }, dry_run: true }),
    ]) {
      expect(reply.status).to.equal(400);
      expect(reply.text).to.contain("Rows of loose can't be selected by filters: it has no key");
    }
  });

  it("are targets of foreign keys, with a type that creates a column for them", async () => {
    await server().run(
      `create extension if not exists citext;
       create table amount (id numeric(9,2) primary key); create table bytes (id bytea primary key);
       create table code (id varchar(9) primary key); create table pair (x int, y int, primary key (x, y));
       create table ratio (id real primary key); create table small (id smallint primary key);
       create table token (id uuid primary key); create table word (id citext primary key);`,
      name,
    );

    const { json } = await rowhouse.get("/shop/-/foreign-key-targets", { as: "root" });
    const targets = json.targets as { fk_table: string; fk_column: string; type: string | null }[];
    const columns = targets
      .filter(({ type }) => type !== null)
      .map((target) => ({ name: `to_${target.fk_table}`, ...target }));
    const created = await post("-/create", { table: "all", columns });

    expect(targets.map(({ fk_table, type }) => `${fk_table} ${type}`)).to.deep.equal([
      "always integer",
      "amount integer",
      "bytes blob",
      "code text",
      "parent integer",
      "ratio float",
      "shared integer",
      "small integer",
      "token null",
      "word null",
    ]);
    expect(created.json).to.include({ ok: true, table: "all" });
  });

  it("are suggested for columns that can reference them", async () => {
    await server().run(
      `create extension if not exists citext; create table word (id citext primary key);
       create table token (id uuid primary key); create table code (id varchar(9) primary key);
       create table kids (
         id bigint primary key, parent_id smallint, "parentId" numeric, parent text, parentid bigint, parents_id int,
         token_id uuid, tokens_id text, code_id text, word_id text, words_id citext
       );
       insert into kids (id, parent_id, parentid, parents_id) values (1, 1, 9, 3), (2, null, null, null);`,
      name,
    );

    const { json } = await rowhouse.get("/shop/kids/-/foreign-key-suggestions", { as: "root" });
    const suggestions = json.suggestions as { column: string; fk_table: string; matches: boolean }[];
    const operations = suggestions
      .filter(({ matches }) => matches)
      .map(({ matches: _matches, ...args }) => ({ op: "add_foreign_key", args }));
    const altered = await post("kids/-/alter", { operations });

    expect(suggestions.map(({ column, fk_table, matches }) => [column, fk_table, matches])).to.deep.equal([
      ["parent_id", "parent", true],
      ["parentid", "parent", false],
      // The row 3 is one of a table that inherits from it.
      ["parents_id", "parent", false],
      ["token_id", "token", true],
      ["code_id", "code", true],
      ["words_id", "word", true],
    ]);
    expect(altered.json).to.include({ ok: true, operations_applied: 4 });
  });
});
