import { expect } from "chai";
import { failure } from "../failures.js";
import { titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

export function describeClosing(open: OpenEngine): void {
  describe("closing", () => {
    it("completes queued statements and refuses further ones", async () => {
      const database = await withBooks(open);
      const writing = database.write((transaction) => transaction.run("delete from books"));
      const reading = titles(database);

      await database.close();

      expect((await writing).changes).to.equal(2);
      await reading;
      expect((await failure(database.read("select 1"))).name).to.equal("DatabaseUnavailable");
    });
  });
}
