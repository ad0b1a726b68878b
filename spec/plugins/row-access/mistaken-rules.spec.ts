import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { ReadScope } from "rowhouse/plugin-api/contracts";
import { rowhouseFor } from "../../harness/index.js";
import { until } from "../../harness/until.js";

const warningsFor = async (scope: ReadScope): Promise<readonly string[]> => {
  const plugin = definePlugin({ name: "weak", read_scope: () => scope });
  const books = [{ id: 1, title: "Emma" }];
  const rowhouse = await rowhouseFor({ tables: { books }, plugins: [plugin] });
  for (const path of ["/library/books.json", "/library/books", "/library.json"])
    expect((await rowhouse.get(path)).status).to.equal(200);
  return rowhouse.logged.filter((line) => line.startsWith("warn: Plugin"));
};

describe("a rule of read_scope", () => {
  it("has one warning if it names a column that does not exist and resembles one", async () => {
    expect(await warningsFor({ table: "books", hiddenColumns: ["titel"] })).to.deep.equal([
      "warn: Plugin weak restricts the column titel of library/books, which does not exist. Did you mean title?",
    ]);
  });

  it("has one warning if it names a table that does not exist and resembles one", async () => {
    expect(await warningsFor({ table: "boks", where: "0" })).to.deep.equal([
      "warn: Plugin weak restricts the table library/boks, which does not exist. Did you mean books?",
    ]);
  });

  it("has one warning if the engine rejects its condition, which makes the table unreadable", async () => {
    const plugin = definePlugin({
      name: "weak",
      read_scope: () => ({ table: "Books", where: "titel <> ''" }),
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [plugin] });

    const statuses = [
      (await rowhouse.get("/library/books.json")).status,
      (await rowhouse.get("/library/books/1.json")).status,
    ];
    await until(() => rowhouse.logged.some((line) => line.startsWith("warn: Plugin")));

    expect(statuses).to.deep.equal([400, 400]);
    expect(rowhouse.logged.filter((line) => line.startsWith("warn: Plugin"))).to.deep.equal([
      "warn: Plugin weak restricts the rows of library/books by a wrong condition: no such column: titel",
    ]);
  });

  it("has no warning if it may be for another database or for all tables", async () => {
    expect(
      await warningsFor({ table: "books", where: "title = :title", params: { title: "Emma" } }),
    ).to.deep.equal([]);
    expect(await warningsFor({ table: "people", where: "0" })).to.deep.equal([]);
    expect(await warningsFor({ table: "Books", hiddenColumns: ["email", "TITLE"] })).to.deep.equal([]);
  });
});
