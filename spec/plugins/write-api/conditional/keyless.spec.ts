import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("the version of a row of a view", () => {
  it("is no error of SQL: the reply is that without _extras", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      sql: "create view titles as select title from books",
    });

    const plain = await rowhouse.get("/library/titles/1.json");
    const asked = await rowhouse.get("/library/titles/1.json?_extras=version");

    expect([asked.status, asked.json]).to.deep.equal([plain.status, plain.json]);
  });
});
