import { expect } from "chai";
import { failure } from "./failures.js";
import { rowhouseFor } from "./index.js";

const metadata = { databases: { library: { allow: { id: "ann" } } } };

describe("assertions of rowhouse/testing", () => {
  it("hold where an actor may, or may not, and say who decided otherwise", async () => {
    const rowhouse = await rowhouseFor({ metadata });

    await rowhouse.assertAllowed("ann", "view-database", "library");
    await rowhouse.assertRefused(null, "view-database", "library");
    const wrong = await failure(rowhouse.assertAllowed({ id: "bob" }, "view-database", "library"));
    const byDefault = await failure(rowhouse.assertAllowed("bob", "insert-row", ["library", "books"]));
    const unknown = await failure(rowhouse.assertRefused("bob", "fly"));

    expect(wrong.name).to.equal("AssertionError");
    expect(wrong.message).to.match(
      /^view-database on "library" is refused to \{"id":"bob"\}: permissions says no: .+/,
    );
    expect(byDefault.message).to.equal(
      'insert-row on ["library","books"] is refused to "bob": no plugin has an opinion, and the default is no',
    );
    expect(unknown.message).to.equal("No permission is named fly");
  });

  it("hold where an event happened, with the members that are named, and list what did otherwise", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: "id integer primary key" } });
    rowhouse.assertNoEvent("insert-rows");

    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { id: 1 } } });

    expect(rowhouse.assertEvent("insert-rows", { table: "books", num_rows: 1 }).num_rows).to.equal(1);
    expect(() => rowhouse.assertEvent("insert-rows", { num_rows: 2 })).to.throw(
      'The event insert-rows with {"num_rows":2} did not happen; what did:\n  {"name":"insert-rows"',
    );
    expect(() => rowhouse.assertNoEvent("insert-rows")).to.throw("The event insert-rows happened");
    expect(() => rowhouse.assertEvent("logout")).to.throw("The event logout with {} did not happen");
  });
});
