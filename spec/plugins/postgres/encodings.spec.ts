import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("a PostgreSQL database in LATIN1", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    await server().run("create database latin encoding 'LATIN1' template template0");
    await server().run("create table notes (id int primary key, text text, data jsonb)", "latin");
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri: server().url("latin"), name: "shop", mutable: true });
  });

  const insert = (row: object) =>
    rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row, return: true } });

  it("stores and finds its characters", async () => {
    const { json } = await insert({ id: 1, text: "café" });
    const found = await rowhouse.get(
      `/shop/notes.json?_shape=array&_col=text&text=${encodeURIComponent("café")}`,
    );

    expect(json).to.deep.equal({ ok: true, rows: [{ id: 1, text: "café", data: null }] });
    expect(found.json).to.deep.equal([{ id: 1, text: "café" }]);
  });

  it("names its encoding as the reason to reject other characters", async () => {
    const reason = "The encoding of this database does not have a character of the text";
    const inserted = await insert({ id: 2, text: "5 €" });
    const filtered = await rowhouse.get(`/shop/notes.json?text=${encodeURIComponent("€")}`);
    const zero = await insert({ id: 3, data: { text: "a\0b" } });

    expect([inserted.status, inserted.json]).to.deep.equal([400, { ok: false, errors: [reason] }]);
    expect([filtered.status, (filtered.json as { error: string }).error]).to.deep.equal([400, reason]);
    expect([zero.status, zero.json]).to.deep.equal([
      400,
      { ok: false, errors: ["Text in PostgreSQL can't contain the character U+0000"] },
    ]);
  });
});
