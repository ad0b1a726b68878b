import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import { limitStatementCaches } from "../../../../plugins/sqlite/sql/statement-caches.js";

describe("compiled statements that are larger than their cache", () => {
  // The caches belong to the process, in which other specs run after this one.
  after(() => limitStatementCaches(8_388_608));

  it("are finalized, so that the files can be opened and closed", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      settings: { statement_cache_kb: 0 },
    });

    const read = await rowhouse.get("/library/books.json?_shape=arrayfirst&title__contains=m");
    const written = await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { row: { title: "Persuasion" } },
    });
    const later = await rowhouse.get("/library/books.json?_shape=arrayfirst");
    await rowhouse.close();

    expect([read.json, written.status, later.json]).to.deep.equal([[1], 201, [1, 2]]);
  });
});
