import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const SQL = `
  create table t (id integer primary key, name text, level integer);
  insert into t values (1, 'a', 1), (2, 'kept', -1);
  create trigger keep_deleted before delete on t when old.level < 0 begin select raise(ignore); end;
  create trigger keep_updated before update on t when old.level < 0 begin select raise(ignore); end;`;

const update = { name: "changed" };

describe("a row that a trigger keeps as it was", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  const post = (path: string, json: object): Promise<TestReply> =>
    rowhouse.post(`/library/${path}`, { as: "root", json });

  const writes: [path: string, json: object, answer: object][] = [
    ["t/2/-/delete", {}, { row_count: 0 }],
    ["t/2/-/update", { update }, { row_count: 0 }],
    ["t/2/-/update", { update, return: true }, { row_count: 0, row: { id: 2, name: "kept", level: -1 } }],
    ["t/-/delete", { filters: { id: 2 } }, { row_count: 0 }],
    ["t/-/update", { filters: { id: 2 }, update }, { row_count: 0 }],
    [
      "-/batch",
      {
        operations: [
          { op: "delete", table: "t", key: 2 },
          { op: "update", table: "t", key: 2, update },
        ],
        undo: true,
      },
      {
        results: [
          { op: "delete", table: "t", row_count: 0 },
          { op: "update", table: "t", row_count: 0 },
        ],
        undo: null,
      },
    ],
  ];
  for (const [path, json, answer] of writes) {
    it(`is not counted by POST ${path} ${JSON.stringify(json)}`, async () => {
      const reply = await post(path, json);

      expect([reply.status, reply.json]).to.deep.equal([200, { ok: true, ...answer }]);
      expect(await rowhouse.query("select name from t where id = 2")).to.deep.equal([{ name: "kept" }]);
      expect(rowhouse.events.filter(({ name }) => name.endsWith("-row"))).to.deep.equal([]);
    });
  }

  it("is the only one for which a write of one row has a number", async () => {
    const replies = [await post("t/1/-/update", { update }), await post("t/1/-/delete", {})];

    for (const { json } of replies) expect(json).to.deep.equal({ ok: true });
    expect(rowhouse.events.map(({ name }) => name)).to.include.members(["update-row", "delete-row"]);
  });
});
