import { expect } from "chai";
import type { Actor } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import rowOwners from "rowhouse-plugin-row-owners";

const tables = {
  orders: [
    { id: 1, seller: "ann", total: 10, margin: 1 },
    { id: 2, seller: "bob", total: 20, margin: 2 },
    { id: 3, seller: "cy", total: 30, margin: 3 },
  ],
};

const served = (config: object): Promise<TestRowhouse> =>
  rowhouseFor({
    tables,
    plugins: [rowOwners],
    metadata: { databases: { library: { tables: { orders: { plugins: { "row-owners": config } } } } } },
  });

const rowsOf = async (rowhouse: TestRowhouse, as?: Actor): Promise<unknown> =>
  (await rowhouse.get("/library/orders.json?_shape=array", as === undefined ? {} : { as })).json;

describe("row-owners", () => {
  it("shows actors their own rows, without hidden columns", async () => {
    const rowhouse = await served({ column: "seller", hide: ["margin"], exempt: { role: "boss" } });

    expect(await rowsOf(rowhouse, { id: "ann" })).to.deep.equal([{ id: 1, seller: "ann", total: 10 }]);
    expect(await rowsOf(rowhouse)).to.deep.equal([]);
    expect(await rowsOf(rowhouse, { id: "di", role: "boss" })).to.deep.equal(tables.orders);
  });

  it("compares with any property of an actor, also with lists", async () => {
    const rowhouse = await served({ column: "seller", actor: "sells_for" });

    const rows = await rowsOf(rowhouse, { id: "eve", sells_for: ["ann", "cy"] });

    expect(rows).to.deep.equal([tables.orders[0], tables.orders[2]]);
  });

  it("shows no row of a table without the column", async () => {
    expect(await rowsOf(await served({ column: "owner" }), { id: "ann" })).to.deep.equal([]);
  });

  it("rejects a configuration with a mistake that would hide nothing", async () => {
    const failure = await served({ colum: "seller" }).catch((error: Error) => error);

    expect(String(failure)).to.include("The configuration of row-owners has an unknown key: colum");
  });
});
