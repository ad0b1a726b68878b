import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

// SQLite gives rows without a key a number; PostgreSQL does not.
describePostgres("a PostgreSQL table without a key", (server) => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    const uri = await server().createDatabase(
      "create table notes (a int, b text); create table kept (id int primary key)",
    );
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, json: object): Promise<TestReply> =>
    rowhouse.post(`/shop/${path}`, { as: "root", json });
  const page = async (path: string): Promise<string> => (await rowhouse.get(path, { as: "root" })).text;

  it("returns its inserted rows", async () => {
    const rows = [{ a: 1, b: "one" }, { b: "two" }, { a: 3, b: "three" }];
    const one = await post("notes/-/insert", { row: { a: 0 }, return: true });
    const many = await post("notes/-/insert", { rows, return: true });

    expect(one.json).to.deep.equal({ ok: true, rows: [{ a: 0, b: null }] });
    expect(many.json).to.deep.equal({ ok: true, rows: [rows[0], { a: null, b: "two" }, rows[2]] });
  });

  it("takes no upserts, and says why", async () => {
    const replies = [
      await post("notes/-/upsert", { rows: [{ a: 1 }] }),
      await post("-/batch", { operations: [{ op: "upsert", table: "notes", row: { a: 1 } }] }),
      await rowhouse.post("/shop/notes/-/upsert", {
        token: await rowhouse.rowhouse.service("tokens").createToken("root"),
        headers: { "content-type": "application/x-ndjson" },
        body: '{"a": 1}\n',
      }),
    ];

    for (const { status, text } of replies) {
      expect(status, text).to.equal(400);
      expect(text).to.contain("Rows of notes can't be upserted: it has no key");
    }
  });

  it("is offered no upserts and no changes of rows", async () => {
    const openapi = await page("/-/openapi.json");
    const explorer = await page("/-/api");
    const form = await page("/shop/notes/-/import");

    for (const text of [openapi, explorer]) {
      expect(text).to.contain("/shop/kept/-/upsert").and.to.contain("/shop/notes/-/insert");
      expect(text).not.to.match(/\/shop\/notes\/-\/(?:upsert|update|delete)/);
      expect(text).not.to.match(/\/shop\/notes\/(\{|%7B)/);
    }
    expect(form).to.contain('value="ignore"').and.not.to.contain('value="upsert"');
    expect(await page("/shop/kept/-/import")).to.contain('value="upsert"');
  });
});
