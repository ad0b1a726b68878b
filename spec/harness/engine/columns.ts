import { expect } from "chai";
import { withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";
import type { EngineTraits } from "./traits.js";

export function describeColumns(open: OpenEngine, { namesExpressions }: EngineTraits): void {
  describe("columns", () => {
    it("have the order and the names of the statement, also equal and unusual names", async () => {
      const database = await open();

      const { columns, rows } = await database.read(
        'select 1 as a, 2 as a, 3 as "2", 4 as "1", 5 as __proto__',
      );

      expect(columns).to.deep.equal(["a", "a", "2", "1", "__proto__"]);
      expect(rows).to.deep.equal([[1, 2, 3, 4, 5]]);
    });

    it("are known for an empty result", async () => {
      const database = await withBooks(open);
      const sql = "select *, count(*) as n from books where id > :x group by id";

      const { columns, rows } = await database.read(sql, { x: 9 });

      expect(columns).to.deep.equal(["id", "title", "n"]);
      expect(rows).to.deep.equal([]);
    });

    if (namesExpressions)
      it("are named by their expressions", async () => {
        const database = await withBooks(open);

        const { columns } = await database.read("select count(*), :x from books", { x: 9 });

        expect(columns).to.deep.equal(["count(*)", ":x"]);
      });

    it("change with the schema", async () => {
      const database = await withBooks(open);
      await database.read("select * from books");
      await database.write((transaction) => transaction.run("alter table books rename column title to name"));

      const { columns } = await database.read("select * from books");

      expect(columns).to.deep.equal(["id", "name"]);
    });

    it("name the members of JSON objects: of equal names, the last value is at the first place", async () => {
      const database = await open();

      const { rows } = await database.readJson('select 1 as a, 2 as b, 3 as a, 4 as "q""t"', [], {
        shape: "objects",
      });

      expect(rows).to.deep.equal(['{"a": 3, "b": 2, "q\\"t": 4}']);
    });
  });
}
