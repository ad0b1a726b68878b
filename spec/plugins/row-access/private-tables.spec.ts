import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("a table with the prefix _rowhouse_", () => {
  const tables = { books: [{ id: 1 }], _Rowhouse_notes: [{ id: 1, note: "private" }] };

  it("may be viewed by no actor", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: { databases: { library: { tables: { _Rowhouse_notes: { allow: { id: "*" } } } } } },
    });

    for (const as of ["ann", "root"]) {
      expect((await rowhouse.get("/library/_Rowhouse_notes.json", { as })).status, as).to.equal(403);
      expect((await rowhouse.get("/library/_Rowhouse_notes/1.json", { as })).status, as).to.equal(403);
      const { tables: listed } = (await rowhouse.get("/library.json", { as })).json as {
        tables: { name: string }[];
      };
      expect(
        listed.map(({ name }) => name),
        as,
      ).to.deep.equal(["books"]);
    }
  });

  it("may be written by no actor", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const insert = await rowhouse.post("/library/_Rowhouse_notes/-/insert", {
      as: "root",
      json: { row: { id: 2 } },
    });
    const create = await rowhouse.post("/library/-/create", {
      as: "root",
      json: { table: "_rowhouse_more", row: { id: 1 } },
    });

    expect([insert.status, create.status]).to.deep.equal([400, 400]);
  });
});
