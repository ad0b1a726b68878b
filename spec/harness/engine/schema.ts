import { expect } from "chai";
import { withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

export function describeSchema(open: OpenEngine): void {
  describe("the schema", () => {
    it("is the same frozen object until it changes", async () => {
      const database = await withBooks(open);
      const before = await database.schema();
      await database.write((transaction) => transaction.run("delete from books"));

      expect(await database.schema()).to.equal(before);
      expect(before).to.satisfy(Object.isFrozen);

      await database.write((transaction) => transaction.run("create table shelves (id integer primary key)"));
      const after = await database.schema();

      expect([...after.tables.keys()]).to.deep.equal(["books", "shelves"]);
      expect(after.version).not.to.equal(before.version);
    });

    it("inside a write shows the changes of this write only to the write itself", async () => {
      const database = await withBooks(open);

      const seen = await database.write(
        async (transaction) => {
          await transaction.run("create table shelves (id integer primary key)");
          return [...(await transaction.schema()).tables.keys()];
        },
        { dryRun: true },
      );

      expect(seen).to.deep.equal(["books", "shelves"]);
      expect([...(await database.schema()).tables.keys()]).to.deep.equal(["books"]);
    });

    it("does not contain what a dry run has created", async () => {
      const database = await withBooks(open);
      await database.write(
        async (transaction) => {
          await transaction.run("create table dropped (id integer primary key)");
          await transaction.schema();
        },
        { dryRun: true },
      );

      await database.write((transaction) => transaction.run("create table kept (id integer primary key)"));

      expect([...(await database.schema()).tables.keys()]).to.deep.equal(["books", "kept"]);
    });
  });
}
