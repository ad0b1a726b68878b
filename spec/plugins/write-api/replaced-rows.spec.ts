import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const SQL = `
  create table seats (id integer primary key, owner text, place text unique on conflict /* the last one wins */ replace);
  insert into seats values (1, 'bob', 'a1'), (2, 'ann', 'b1');
  create table rooms (id integer primary key, owner text, size text not null on conflict replace default 'small');
  insert into rooms values (1, 'bob', 'large'), (2, 'ann', 'large');`;

/** Actors see their own rows, and not the name of the owner. */
const ownRows = definePlugin({
  name: "own-rows",
  read_scope: (_rowhouse, { actor, tables }) =>
    actor?.id === "root"
      ? null
      : tables.map(({ name }) => ({
          table: name,
          where: "owner = :who",
          params: { who: String(actor?.id) },
          hiddenColumns: ["owner"],
        })),
});

const METADATA = {
  permissions: { "insert-row": { id: "ann" }, "update-row": { id: "ann" }, "delete-row": { id: "ann" } },
};

describe("a table with a constraint that replaces rows", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({ sql: SQL, plugins: [ownRows], metadata: METADATA });
  });

  const seats = (): Promise<unknown> => rowhouse.query("select * from seats order by id");
  const post = (path: string, json: object, as = "ann"): Promise<TestReply> =>
    rowhouse.post(`/library/${path}`, { as, json });

  const undoOf = async (operation: object): Promise<unknown> =>
    (await post("-/batch", { operations: [operation], undo: true }, "root")).json.undo;

  const taken = { place: "a1" };
  const writes: [path: string, json: object][] = [
    ["seats/-/insert", { row: taken }],
    ["seats/-/upsert", { rows: [{ id: 2, ...taken }] }],
    ["seats/2/-/update", { update: taken }],
    ["seats/-/update", { all: true, update: taken }],
    ["-/batch", { operations: [{ op: "insert", table: "seats", row: taken }] }],
    ["-/batch", { operations: [{ op: "update", table: "seats", key: 2, update: taken }], undo: true }],
  ];
  for (const [path, json] of writes) {
    it(`keeps its hidden rows: POST ${path} with ${JSON.stringify(json)}`, async () => {
      const before = await seats();

      const { status, text } = await post(path, json);

      expect([status, text]).to.deep.equal([403, text]);
      expect(text).to.contain("seats replaces rows on conflict, and a part of it is hidden from you");
      expect(await seats()).to.deep.equal(before);
    });
  }

  it("keeps its hidden rows from a stream of rows", async () => {
    const before = await seats();
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const headers = { "content-type": "text/csv" };

    const reply = await rowhouse.post("/library/seats/-/insert", { token, headers, body: "place\na1\n" });

    expect(reply.status, reply.text).to.equal(403);
    expect(await seats()).to.deep.equal(before);
  });

  it("takes writes that replace no hidden row", async () => {
    expect((await post("seats/2/-/delete", {})).status).to.equal(200);
    expect((await post("rooms/2/-/update", { update: { size: null } })).status).to.equal(200);
    expect((await post("seats/-/insert", { row: { owner: "cat", ...taken } }, "root")).status).to.equal(201);
    expect(await seats()).to.deep.equal([{ id: 2, owner: "cat", place: "a1" }]);
  });

  it("has no undo for writes that may replace a row", async () => {
    const insert = { op: "insert", table: "seats", row: taken };
    const update = { op: "update", table: "seats", key: 2, update: { place: "c1" } };
    const remove = { op: "delete", table: "seats", key: 2 };

    expect(await undoOf(insert)).to.equal(null);
    expect(await undoOf(update)).to.equal(null);
    expect(await undoOf(remove)).to.be.a("string");
  });
});

describe("a full-text index of a table with hidden rows", () => {
  it("takes no words for these rows", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${SQL} create virtual table seats_fts using fts5(place, content='seats', content_rowid='id');
        insert into seats_fts(seats_fts) values ('rebuild');`,
      plugins: [ownRows],
      metadata: METADATA,
    });

    const reply = await rowhouse.post("/library/seats_fts/-/insert", {
      as: "ann",
      json: { row: { rowid: 1, place: "marked" } },
    });

    expect(reply.status, reply.text).to.equal(403);
    expect(await rowhouse.query("select rowid from seats_fts where seats_fts match 'marked'")).to.deep.equal(
      [],
    );
  });
});
