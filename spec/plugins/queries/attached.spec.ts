import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("SQL over databases that --crossdb attaches", () => {
  it("is offered to actors who may run SQL on all of them", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      options: { crossdb: true },
      metadata: { databases: { library: { allow_sql: { id: "root" } } } },
    });
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });
    const sql = "/_memory.json?sql=select+count(*)+from+library.books";

    for (const [as, status] of [
      ["root", 200],
      ["ann", 403],
    ] as const) {
      expect((await rowhouse.get(sql, { as })).status).to.equal(status);
      const { json } = await rowhouse.get("/_memory.json", { as });
      expect(json.allow_execute_sql).to.equal(status === 200);
    }
  });

  it("is not offered to actors who may not view one of them", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      options: { crossdb: true },
      metadata: { databases: { library: { allow: { id: "root" }, allow_sql: true } } },
    });
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });

    expect((await rowhouse.get("/_memory.json?sql=select+1", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/_memory.json?sql=select+1", { as: "root" })).status).to.equal(200);
  });
});
