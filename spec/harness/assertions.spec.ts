import { expect } from "chai";
import { failure } from "./failures.js";
import { rowhouseFor } from "./index.js";

const metadata = { databases: { library: { allow: { id: "ann" } } } };

describe("assertions of rowhouse/testing", () => {
  it("check permissions, and name the plugin that decided otherwise", async () => {
    const rowhouse = await rowhouseFor({ metadata });

    await rowhouse.assertAllowed("ann", "view-database", "library");
    await rowhouse.assertRefused(null, "view-database", "library");
    const wrong = await failure(rowhouse.assertAllowed({ id: "bob" }, "view-database", "library"));
    const byDefault = await failure(rowhouse.assertAllowed("bob", "insert-row", ["library", "books"]));
    const unknown = await failure(rowhouse.assertRefused("bob", "fly"));

    expect(wrong.name).to.equal("AssertionError");
    expect(wrong.message).to.match(
      /^\{"id":"bob"\} does not have the permission view-database on "library": permissions denies it: .+/,
    );
    expect(byDefault.message).to.equal(
      '"bob" does not have the permission insert-row on ["library","books"]: no plugin has an opinion, and the default is to deny it',
    );
    expect(unknown.message).to.equal("No permission is named fly");
  });

  it("check events with some of their members, and list the actual events", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: "id integer primary key" } });
    rowhouse.assertNoEvent("insert-rows");

    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { id: 1 } } });

    expect(rowhouse.assertEvent("insert-rows", { table: "books", num_rows: 1 }).num_rows).to.equal(1);
    expect(() => rowhouse.assertEvent("insert-rows", { num_rows: 2 })).to.throw(
      'There was no event insert-rows with {"num_rows":2}. Events: \n  {"name":"insert-rows"',
    );
    expect(() => rowhouse.assertNoEvent("insert-rows")).to.throw("There was an event insert-rows");
    expect(() => rowhouse.assertEvent("logout")).to.throw("There was no event logout with {}");
  });
});
