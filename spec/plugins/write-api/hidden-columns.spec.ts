import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const sql = `
  create table docs (id integer primary key, title text);
  insert into docs values (1, 'one'), (2, 'two');
  create virtual table docs_fts using fts5(title, content='docs', content_rowid='id');
  insert into docs_fts(docs_fts) values ('rebuild');
  create virtual table notes using fts5(word);
  insert into notes (word) values ('one');
  create virtual table old using fts4(word);
  insert into old (word) values ('one');`;

const command = { docs_fts: "delete-all" };

/** Requests that would reach a hidden column, and what is said of each. */
const cases: readonly (readonly [path: string, body: object, message: string | RegExp])[] = [
  ["docs_fts/-/insert", { row: command }, "Row 0 has invalid columns: docs_fts"],
  ["docs_fts/-/insert", { rows: [{ title: "x", rank: 1 }] }, "Row 0 has invalid columns: rank"],
  ["docs_fts/-/insert", { row: command, alter: true }, /virtual tables may not be altered|Cannot alter/],
  ["docs_fts/-/insert", { row: { DOCS_FTS: "delete-all" } }, "Row 0 has invalid columns: DOCS_FTS"],
  ["docs_fts/-/upsert", { rows: [{ rowid: 1, ...command }] }, "Row 0 has invalid columns: docs_fts"],
  ["docs_fts/1/-/update", { update: { Docs_Fts: "delete-all" } }, "no such column: Docs_Fts"],
  ["docs_fts/1/-/update", { update: { rank: 1 } }, "no such column: rank"],
  ["docs_fts/-/update", { update: command, all: true }, "no such column: docs_fts"],
  ["notes/-/insert", { row: { notes: "delete-all" } }, "Row 0 has invalid columns: notes"],
  ["old/-/insert", { row: { old: "optimize" } }, "Row 0 has invalid columns: old"],
  ["-/create", { table: "docs_fts", row: command }, "table docs_fts has no column named docs_fts"],
  ["-/create", { table: "docs_fts", rows: [{ Rank: 1 }] }, "table docs_fts has no column named Rank"],
  [
    "-/batch",
    { operations: [{ op: "insert", table: "docs_fts", row: command }] },
    "Operation 0: Row 0 has invalid columns: docs_fts",
  ],
  [
    "-/batch",
    { operations: [{ op: "update", table: "docs_fts", key: 1, update: command }] },
    "Operation 0: no such column: docs_fts",
  ],
];

describe("hidden columns of virtual tables", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql });
  });

  const found = async (): Promise<unknown> => {
    const counts = ["docs_fts", "notes", "old"].map(
      (table) => `(select count(*) from ${table} where ${table} match 'one')`,
    );
    const [row] = await rowhouse.query(`select json_array(${counts.join(", ")}) as counts`);
    return JSON.parse(String(row?.["counts"])) as unknown;
  };

  for (const [path, body, message] of cases) {
    it(`are not written by POST ${path} with ${JSON.stringify(body)}`, async () => {
      const reply = await rowhouse.post(`/library/${path}`, { as: "root", json: body });

      expect(reply.status).to.equal(400);
      expect(reply.json.errors).to.have.length(1);
      if (typeof message === "string") expect(reply.json.errors[0]).to.equal(message);
      else expect(reply.json.errors[0]).to.match(message);
      expect(await found()).to.deep.equal([1, 1, 1]);
    });
  }

  for (const [type, body] of [
    ["text/csv", "docs_fts\ndelete-all\n"],
    ["application/x-ndjson", '{"docs_fts": "delete-all"}\n'],
  ] as const) {
    it(`are not written by a stream of ${type}`, async () => {
      const token = await rowhouse.rowhouse.service("tokens").createToken("root");
      const headers = { "content-type": type, authorization: `Bearer ${token}` };
      const reply = await rowhouse.post("/library/docs_fts/-/insert", { headers, body });

      expect(reply.status).to.equal(400);
      expect(await found()).to.deep.equal([1, 1, 1]);
    });
  }

  it("are in no form and in no description of the API", async () => {
    const form = await rowhouse.get("/library/notes/-/new-row", { as: "root" });
    const described = await rowhouse.get("/-/openapi.json", { as: "root" });

    expect(form.status).to.equal(200);
    expect(form.text)
      .to.match(/\bword\b/)
      .and.not.match(/\brank\b/);
    expect(described.status).to.equal(200);
    expect(described.text)
      .to.include("/library/docs/")
      .and.not.match(/"(?:rank|notes|docs_fts)":/);
  });

  it("leave the columns with data to be written", async () => {
    const own = await rowhouseFor({ sql });

    const reply = await own.post("/library/notes/-/insert", { as: "root", json: { row: { word: "three" } } });
    const again = await own.post("/library/-/create", {
      as: "root",
      json: { table: "notes", row: { word: "four" } },
    });

    expect([reply.status, again.status]).to.deep.equal([201, 201]);
    expect(await own.rows("notes")).to.have.length(3);
  });
});
