import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const SQL = `
  create table films (id integer primary key, title text not null, year integer, price real, poster blob,
    loud text generated always as (upper(title)) virtual);
  insert into films (id, title, year, price, poster) values
    (1, 'Alien', 1979, 9007199254740993, x'616263'), (2, 'Brazil', 9007199254740993, 7.0, null), (3, 'Cube', null, 1e300, x'ff'), (4, 'Deep', null, 9e999, null);
  create table pairs (a text, b text, note text, primary key (a, b)) without rowid;
  insert into pairs values ('x', 'y', 'z');
  create table loose (word text);
  insert into loose values ('one'), ('two'), (cast(x'cafe' as text)), (cast(x'ff' as text));
`;

describe("a batch with undo", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  const batch = (operations: unknown, more: object = { undo: true }): Promise<TestReply> =>
    rowhouse.post("/library/-/batch", { as: "root", json: { operations, ...more } });
  const undo = ({ json }: TestReply): Promise<TestReply> =>
    rowhouse.post("/library/-/batch", {
      as: "root",
      body: `{"operations": ${json.undo}, "undo": true}`,
      headers: { "content-type": "application/json" },
    });
  const query = async (sql: string): Promise<string> =>
    (await rowhouse.get(`/library.json?_shape=arrays&sql=${encodeURIComponent(sql)}`)).text.replace(
      /"query_ms.*/,
      "",
    );
  const titles = (): Promise<string> => query("select id, title from films");
  const stored = async (): Promise<readonly string[]> => [
    await query("select *, typeof(price), typeof(poster), hex(poster) from films"),
    await query("select * from pairs"),
    await query("select rowid, * from loose"),
  ];

  it("returns the operations that undo it, with exact values, and those can be undone again", async () => {
    const before = await stored();

    const reply = await batch([
      { op: "update", table: "films", key: 1, update: { price: 1.5, Poster: null } },
      { op: "update", table: "films", key: 1, update: { title: "Aliens", id: 11 } },
      { op: "delete", table: "films", key: 2 },
      { op: "delete", table: "films", key: 3 },
      { op: "insert", table: "films", rows: [{ title: "Dune" }, { title: "Eraserhead" }] },
      { op: "update", table: "pairs", key: ["x", "y"], update: { b: "why" } },
      { op: "delete", table: "loose", key: 1 },
    ]);
    const after = await stored();
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.json.results[4]).to.deep.equal({ op: "insert", table: "films", row_count: 2 });

    const undone = await undo(reply);
    expect(undone.status, undone.text).to.equal(200);
    expect(await stored()).to.deep.equal(before);

    expect((await undo(undone)).status).to.equal(200);
    expect(await stored()).to.deep.equal(after);
  });

  it("is not undone after another change to one of its rows", async () => {
    const reply = await batch([
      { op: "update", table: "films", key: 1, update: { year: 1980 } },
      { op: "update", table: "films", key: 2, update: { year: 1980 } },
      { op: "update", table: "films", key: 1, update: { year: 1981 } },
    ]);
    await batch([{ op: "update", table: "films", key: 1, update: { title: "Other" } }], {});
    const before = await stored();

    const refused = await undo(reply);

    expect([refused.status, refused.json.errors]).to.deep.equal([412, ["Operation 0: The row has changed"]]);
    expect(await stored()).to.deep.equal(before);
  });

  it("is undone if triggers change the rows that it writes more than once", async () => {
    await rowhouse.query("alter table films add column writes integer not null default 0");
    await rowhouse.query(
      "create trigger films_au after update of title, id on films begin update films set writes = writes + 1 where id = new.id; end",
    );
    const before = await titles();
    const reply = await batch([
      { op: "update", table: "films", key: 1, update: { title: "Aliens" } },
      { op: "update", table: "films", key: 1, update: { title: "Alien 3", id: 11 } },
      { op: "update", table: "films", key: 11, update: { title: "Alien 4" } },
      { op: "insert", table: "films", row: { id: 20, title: "Dune" } },
      { op: "update", table: "films", key: 20, update: { title: "Dune 2" } },
      { op: "update", table: "films", key: 2, update: { id: 1 } },
    ]);
    const after = await titles();

    const undone = await undo(reply);
    expect(undone.status, undone.text).to.equal(200);
    expect(await titles()).to.equal(before);

    const redone = await undo(undone);
    expect(redone.status, redone.text).to.equal(200);
    expect(await titles()).to.equal(after);
  });

  const renamed = ["alter table pairs rename column note to other", "alter table pairs add column note text"];
  const swapped = ["alter table films rename column title to old", "alter table films add column title text"];
  const retyped = [
    "create table copied (word integer)",
    "insert into copied (rowid, word) select rowid, word from loose",
    "drop table loose",
    "alter table copied rename to loose",
  ];
  const changed: readonly (readonly [
    what: string,
    operation: object,
    sql: readonly string[],
    table: string,
  ])[] = [
    ["a deletion", { op: "delete", table: "pairs", key: ["x", "y"] }, renamed, "pairs"],
    ["an update", { op: "update", table: "films", key: 3, update: { title: "Two" } }, swapped, "films"],
    ["an update", { op: "update", table: "loose", key: 1, update: { word: "one" } }, retyped, "loose"],
    ["a deletion", { op: "delete", table: "loose", key: 1 }, retyped, "loose"],
  ];
  for (const [what, operation, statements, table] of changed) {
    it(`is not undone if a column of ${what} is another one meanwhile: ${statements[0]}`, async () => {
      await rowhouse.query("update loose set word = '007' where rowid = 1");
      const reply = await batch([operation]);
      for (const statement of statements) await rowhouse.query(statement);
      const before = await query(`select * from ${table}`);

      const refused = await undo(reply);

      expect(refused.status, refused.text).to.equal(412);
      expect(await query(`select * from ${table}`)).to.equal(before);
    });
  }

  it("restores a deleted row also if its table has got another column", async () => {
    const reply = await batch([{ op: "delete", table: "pairs", key: ["x", "y"] }]);
    await rowhouse.query("alter table pairs add column more text default 'new'");

    expect((await undo(reply)).status).to.equal(200);
    expect(await rowhouse.query("select * from pairs")).to.deep.equal([
      { a: "x", b: "y", note: "z", more: "new" },
    ]);
  });

  it("has no inverse for upserts, writes by filter, and values that JSON does not have", async () => {
    const operations = [
      { op: "upsert", table: "films", row: { id: 1, title: "A" } },
      { op: "update", table: "films", filters: { id: 1 }, update: { title: "A" } },
      { op: "insert", table: "films", row: { id: 1, title: "A" }, replace: true },
      { op: "delete", table: "films", key: 4 },
      { op: "update", table: "loose", key: 3, update: { word: "three" } },
      { op: "delete", table: "loose", key: 4 },
    ];
    for (const operation of operations) expect((await batch([operation])).json.undo).to.equal(null);
    expect((await batch([operations[0]], {})).json).not.to.have.property("undo");
  });

  it("has no inverse if that is too large for a request", async () => {
    const long = "insert into loose select printf('%.*c', 60000, 'x') from films limit 2;";
    const small = await rowhouseFor({ sql: SQL + long, settings: { max_post_body_bytes: 100_000 } });
    const deletions = (keys: readonly number[]): Promise<TestReply> =>
      small.post("/library/-/batch", {
        as: "root",
        json: {
          operations: keys.map((key) => ({ op: "delete", table: "loose", key })),
          undo: true,
          dry_run: true,
        },
      });

    expect((await deletions([5])).json.undo).to.have.length.above(60_000);
    expect((await deletions([5, 6])).json).to.deep.include({ ok: true, undo: null });
    expect((await deletions([1, 5, 6, 2])).json).to.deep.include({ ok: true, undo: null });
  });

  it("has no inverse if nothing was written", async () => {
    const reply = await batch([{ op: "insert", table: "films", rows: [] }]);

    expect([reply.status, reply.json.undo]).to.deep.equal([200, null]);
  });

  it("deletes and changes a row only at the given version", async () => {
    const { headers } = await rowhouse.get("/library/films/1.json?_extras=version", { as: "root" });
    const version = String(headers["etag"]);
    await batch([{ op: "update", table: "films", key: 1, update: { year: 1 }, if_match: version }], {});

    const refused = await batch([{ op: "delete", table: "films", key: 1, if_match: version }], {});
    const wrong = await batch([{ op: "delete", table: "films", key: 1, if_match: 5 }], {});

    expect(refused.status).to.equal(412);
    expect(wrong.json.errors).to.deep.equal(['Operation 0: "if_match" must be the version of a row']);
  });
});
