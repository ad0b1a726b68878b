import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const library = () =>
  rowhouseFor({
    sql: "create table t (id integer primary key, name text, ä text); insert into t values (1, 'a', 'b')",
  });

describe("Column names in a write that differ in case only", () => {
  it("are the same for letters of ASCII", async () => {
    const rowhouse = await library();

    const { status } = await rowhouse.post("/library/t/1/-/update", {
      as: "root",
      json: { update: { NAME: "c" } },
    });

    expect([status, await rowhouse.rows("t")]).to.deep.equal([200, [{ id: 1, name: "c", ä: "b" }]]);
  });

  it("are two for other letters, as in SQLite", async () => {
    const rowhouse = await library();
    const update = (json: object) => rowhouse.post("/library/t/1/-/update", { as: "root", json });

    const refused = await update({ update: { Ä: "c" } });
    const altered = await update({ update: { Ä: "c" }, alter: true });

    expect([refused.status, refused.json.errors]).to.deep.equal([400, ["no such column: Ä"]]);
    expect([altered.status, await rowhouse.rows("t")]).to.deep.equal([
      200,
      [{ id: 1, name: "a", ä: "b", Ä: "c" }],
    ]);
  });
});
