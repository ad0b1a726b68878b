import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

/** The table `secret` is hidden from all but root. */
const served = (sql: string, queries: object): Promise<TestRowhouse> =>
  rowhouseFor({
    sql,
    settings: { confine_sql: true },
    metadata: { databases: { library: { tables: { secret: { allow: { id: "root" } } }, queries } } },
  });

describe("Writing canned queries with confine_sql", () => {
  it("use functions that read only their arguments", async () => {
    const rowhouse = await served(
      `create table tags (tag text); create table secret (word text); insert into secret values ('x');`,
      {
        add: { sql: "insert into tags select value from json_each(:tags)", write: true },
        leak: { sql: "insert into tags select word from secret, json_each(:tags)", write: true },
      },
    );
    const body = { json: { tags: '["a", "b"]' } };

    expect((await rowhouse.post("/library/add?_json=1", body)).json.ok).to.equal(true);
    expect((await rowhouse.post("/library/leak?_json=1", body)).status).to.equal(403);
    expect(await rowhouse.query("select tag from tags")).to.deep.equal([{ tag: "a" }, { tag: "b" }]);
  });

  it("write to no table that the actor may not view", async () => {
    const rowhouse = await served("create table secret (word text); create table open (word text);", {
      insert: { sql: "insert into secret values ('x')", write: true },
      delete: { sql: "delete from secret", write: true },
      add: { sql: "insert into open values ('x')", write: true },
      unreadable: { sql: "create table more (word text)", write: true },
    });

    for (const [query, as, status] of [
      ["insert", "ann", 403],
      ["delete", "ann", 403],
      ["unreadable", "ann", 403],
      ["add", "ann", 200],
      ["insert", "root", 200],
    ] as const) {
      const reply = await rowhouse.post(`/library/${query}?_json=1`, { as, json: {} });
      expect([query, reply.status]).to.deep.equal([query, status]);
    }
    expect(await rowhouse.query("select word from secret")).to.deep.equal([{ word: "x" }]);
  });

  it("do not take a hidden table for the function of its name", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table tags (tag text);
        create table json_each (value text); insert into json_each values ('x');`,
      settings: { confine_sql: true },
      metadata: {
        databases: {
          library: {
            tables: { json_each: { allow: { id: "root" } } },
            queries: { add: { sql: "insert into tags select value from json_each", write: true } },
          },
        },
      },
    });

    expect((await rowhouse.post("/library/add?_json=1", { json: {} })).status).to.equal(403);
  });
});
