import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("Writing canned queries with confine_sql", () => {
  it("use functions that read only their arguments", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table tags (tag text); create table secret (word text); insert into secret values ('x');`,
      settings: { confine_sql: true },
      metadata: {
        databases: {
          library: {
            tables: { secret: { allow: { id: "root" } } },
            queries: {
              add: { sql: "insert into tags select value from json_each(:tags)", write: true },
              leak: {
                sql: "insert into tags select word from secret, json_each(:tags)",
                write: true,
              },
            },
          },
        },
      },
    });

    const body = { json: { tags: '["a", "b"]' } };

    expect((await rowhouse.post("/library/add?_json=1", body)).json.ok).to.equal(true);
    expect((await rowhouse.post("/library/leak?_json=1", body)).status).to.equal(403);
    expect(await rowhouse.query("select tag from tags")).to.deep.equal([{ tag: "a" }, { tag: "b" }]);
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
