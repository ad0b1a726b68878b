import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("what the import page knows of a table", () => {
  it("are the columns that can be filled, and whether the visitor may undo", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table books (id integer primary key, price real, net real generated always as (price / 1.2))",
      metadata: { permissions: { "insert-row": { id: ["ann", "ben"] }, "delete-row": { id: "ben" } } },
    });
    const known = async (as: string) => {
      const { json } = await rowhouse.get("/library/books/-/import.json", { as });
      const { columns, mayUndo } = json;
      return [columns.map(({ name }: { readonly name: string }) => name), mayUndo];
    };

    expect(await known("ann")).to.deep.equal([["id", "price"], false]);
    expect(await known("ben")).to.deep.equal([["id", "price"], true]);
  });

  it("are those of the table as it is now", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table books (title text)" });
    const operations = [{ op: "add_column", args: { name: "year", type: "integer" } }];
    await rowhouse.post("/library/books/-/alter", { as: "root", json: { operations } });

    const { json } = await rowhouse.get("/library/books/-/import.json", { as: "root" });

    expect(json.columns.map(({ name }: { readonly name: string }) => name)).to.deep.equal(["title", "year"]);
  });
});
