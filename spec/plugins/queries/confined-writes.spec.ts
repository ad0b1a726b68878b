import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
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

describe("A writing canned query that fails", () => {
  const SCRIPT = `
    create table towns (name text);
    create table secret (word text unique check (length(word) < 9));
    create table members (mail text unique);
    create table fees (town text, amount integer default 5, unique (town, amount));
    create trigger noted after insert on towns begin insert into secret values (new.name); end;
    insert into secret values ('known'); insert into members values ('known'); insert into fees (town) values ('known');`;
  const hiding = definePlugin({
    name: "hiding",
    read_scope: () => ({ table: "fees", hiddenColumns: ["amount"] }),
  });

  it("names nothing that is hidden from the actor, except for the tables in its SQL", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: [hiding],
      metadata: {
        databases: {
          library: {
            tables: { secret: { allow: false }, members: { allow: false } },
            queries: {
              town: { sql: "insert into towns values (:text)", write: true },
              fee: { sql: "insert into fees (town) values (:text)", write: true, unscoped: true },
              member: { sql: "insert into members values (:text)", write: true },
            },
          },
        },
      },
    });
    const errorOf = async (query: string, text: string): Promise<string> =>
      (await rowhouse.post(`/library/${query}?_json=1`, { json: { text } })).json.message;

    expect(await errorOf("town", "known")).to.equal("UNIQUE constraint failed");
    expect(await errorOf("town", "far too long")).to.equal("CHECK constraint failed");
    expect(await errorOf("fee", "known")).to.equal("UNIQUE constraint failed");
    expect(await errorOf("member", "known")).to.equal("UNIQUE constraint failed: members.mail");
  });
});
