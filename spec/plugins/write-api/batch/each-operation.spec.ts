import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const SQL = `
  create table books (id integer primary key autoincrement, title text);
  insert into books values (1, 'Emma');
  create table places (id integer primary key, code text unique on conflict replace);
  insert into places values (1, 'a'), (2, 'b');
  create table secret (id integer primary key, word text);
  insert into secret values (1, 'hush');
  create table partly (id integer primary key, shown text, hidden text);
  insert into partly values (1, 'a', 'b');
`;
const clerk = { id: "clerk" };
const permissions = { "insert-row": { id: ["clerk", "poet"] }, "update-row": clerk, "delete-row": clerk };
const metadata = { databases: { library: { permissions, tables: { secret: { allow: { id: "root" } } } } } };
const hiding = definePlugin({
  name: "hiding",
  read_scope: (_rowhouse, { tables }) =>
    tables
      .filter(({ name }) => name === "partly")
      .map(({ name }) => ({ table: name, hiddenColumns: ["hidden"] })),
});

describe("Each operation of a batch", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({
      sql: SQL,
      settings: { max_batch_operations: 2 },
      metadata,
      plugins: [hiding],
    });
  });

  const batch = (operations: readonly object[], as = "root", more: object = {}): Promise<TestReply> =>
    rowhouse.post("/library/-/batch", { as, json: { operations, ...more } });

  it("is one of as many as the setting allows", async () => {
    const insert = { op: "insert", table: "books", row: { title: "Persuasion" } };

    expect((await batch([insert, insert])).status).to.equal(200);
    expect((await batch([insert, insert, insert])).status).to.equal(400);
  });

  it("needs its own permission, also on a table that another one may write", async () => {
    const insert = { op: "insert", table: "books", row: { title: "Persuasion" } };

    const { status, json } = await batch([insert, { op: "delete", table: "books", key: 1 }], "poet");

    expect([status, json.errors]).to.deep.equal([403, ["Operation 1: Permission denied"]]);
    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "Emma" }]);
  });

  it("is refused for a table of SQLite", async () => {
    const { status } = await batch([{ op: "delete", table: "sqlite_sequence", all: true }]);

    expect(status).to.be.within(400, 404);
    expect(await rowhouse.query("select seq from sqlite_sequence")).to.deep.equal([{ seq: 1 }]);
  });

  it("is refused with a member that it does not know", async () => {
    const update = { op: "update", table: "books", key: 1, update: { title: "x" }, alterr: true };

    const { status, json } = await batch([update]);

    expect([status, json.errors]).to.deep.equal([400, ['Operation 0: Invalid parameter: "alterr"']]);
  });

  it("has no inverse if it may replace other rows, unless it deletes", async () => {
    const undo = { undo: true };

    const updated = await batch(
      [{ op: "update", table: "places", key: 1, update: { code: "b" } }],
      "root",
      undo,
    );
    const inserted = await batch([{ op: "insert", table: "places", row: { code: "c" } }], "root", undo);
    const deleted = await batch([{ op: "delete", table: "places", key: 1 }], "root", undo);

    expect([updated, inserted].map(({ json }) => json.undo)).to.deep.equal([null, null]);
    const [inverse, ...others] = JSON.parse(deleted.json.undo as string) as readonly object[];
    expect(inverse).to.deep.include({ op: "insert", table: "places", row: { id: 1, code: "b" } });
    expect(others).to.deep.equal([]);
  });

  it("has no inverse if it is an insert that may leave rows out, or that adds columns", async () => {
    const row = { id: 9, title: "Persuasion" };
    const insert = { op: "insert", table: "books" };

    const ignoring = await batch([{ ...insert, row, ignore: true }], "root", { undo: true });
    const adding = await batch([{ ...insert, row: { id: 10, year: 1817 }, alter: true }], "root", {
      undo: true,
    });

    expect([ignoring, adding].map(({ status, json }) => [status, json.undo])).to.deep.equal([
      [200, null],
      [200, null],
    ]);
  });

  it("needs an inverse, or none is returned for the whole batch", async () => {
    const { json } = await batch(
      [
        { op: "upsert", table: "books", row: { id: 1, title: "Persuasion" } },
        { op: "update", table: "books", key: 1, update: { title: "Emma" } },
      ],
      "root",
      { undo: true },
    );

    expect(json.undo).to.equal(null);
  });

  it("has no inverse that shows or loses what is hidden from the actor", async () => {
    const operations = [
      { op: "update", table: "secret", key: 1, update: { word: "loud" } },
      { op: "delete", table: "secret", key: 1 },
      { op: "delete", table: "partly", key: 1 },
    ];

    for (const operation of operations) {
      const { status, text, json } = await batch([operation], "clerk", { undo: true });
      expect([status, json.undo, /hush|loud|version/.test(text)], text).to.deep.equal([200, null, false]);
    }
  });

  it("sends its event once, however often a batch with one Idempotency-Key is sent", async () => {
    const headers = { "idempotency-key": "one" };
    const operations = [{ op: "insert", table: "books", row: { title: "Persuasion" } }];
    const send = (more: object): Promise<TestReply> =>
      rowhouse.post("/library/-/batch", { as: "root", headers, json: { operations, ...more } });

    const [first, second] = [await send({}), await send({})];
    const dry = await send({ dry_run: true });

    expect(second.text).to.equal(first.text);
    expect([dry.status, dry.json.dry_run], dry.text).to.deep.equal([200, true]);
    expect(await rowhouse.rows("books")).to.have.length(2);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["insert-rows"]);
  });
});
