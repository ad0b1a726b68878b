import { expect } from "chai";
import { titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";
import type { EngineTraits } from "./traits.js";

export function describeAnalysis(open: OpenEngine, { findsTables }: EngineTraits): void {
  describe("analysis", () => {
    it("determines kind, tables and parameters without running the statement", async () => {
      const database = await withBooks(open);

      const reading = await database.analyse(
        "select count(*) from books where id > :least and title = :title",
      );
      const writing = await database.analyse("delete from books");

      expect(reading).to.deep.equal({
        kind: "select",
        reads: findsTables ? ["books"] : null,
        writes: [],
        parameters: ["least", "title"],
      });
      expect(writing).to.include({ kind: "delete" });
      expect(writing.writes).to.deep.equal(findsTables ? ["books"] : null);
      expect(await titles(database)).to.have.length(2);
    });

    it("returns unknown if it cannot determine the kind", async () => {
      const database = await open();

      const { kind, reads } = await database.analyse("select * from nosuch");

      expect({ kind, reads }).to.deep.equal({ kind: "unknown", reads: null });
    });
  });
}
