import { expect } from "chai";
import { failure } from "../failures.js";
import { withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

export function describeVersion(open: OpenEngine): void {
  describe("the version", () => {
    it("changes with each commit, and only then", async () => {
      const database = await withBooks(open);
      const first = await database.version();
      await database.read("select * from books");
      await failure(database.write(() => Promise.reject(new Error("no"))));

      expect(await database.version()).to.deep.equal(first);

      await database.write((transaction) => transaction.run("update books set title = 'x' where id = 1"));
      const second = await database.version();

      expect(second.data).not.to.equal(first.data);
      expect(second.schema).to.equal(first.schema);

      await database.write((transaction) => transaction.run("create table shelves (id integer primary key)"));

      expect((await database.version()).schema).not.to.equal(first.schema);
    });
  });
}
