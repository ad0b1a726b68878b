import { expect } from "chai";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { failure } from "../failures.js";
import { titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";
import type { EngineTraits } from "./traits.js";

export function describeStatements(open: OpenEngine, { parameterPrefixes, typedValues }: EngineTraits): void {
  describe("statements", () => {
    it("are refused if there is more than one", async () => {
      const database = await withBooks(open);

      const error = await failure(database.read("select 1; drop table books"));

      expect(error).to.include({
        name: "InvalidSql",
        message: "You can only execute one statement at a time.",
      });
      expect(await titles(database)).to.have.length(2);
    });

    it("may end with semicolons and comments", async () => {
      const database = await open();

      expect((await database.read(" /* a */ select 1 ; ; -- done")).rows).to.deep.equal([[1]]);
      expect((await database.read("select 2 -- no end of line")).rows).to.deep.equal([[2]]);
    });

    for (const sql of ["delete from books", "with x as (select 1) delete from books", "drop table books"]) {
      it(`that change data are refused: ${sql}`, async () => {
        const database = await withBooks(open);

        const error = await failure(database.read(sql));

        expect(error).to.be.instanceOf(InvalidSql);
        expect(await titles(database)).to.have.length(2);
      });
    }

    it("fail with the message of SQLite", async () => {
      const database = await open();

      const error = await failure(database.read("select nosuch"));

      expect(error).to.include({ name: "SqlFailed", message: "no such column: nosuch" });
    });

    it("take named values with any prefix and ignore values without a parameter", async () => {
      const database = await open();

      const sql = `select ${parameterPrefixes.map((prefix) => `${prefix}a`).join(", ")}, :b`;
      const { rows } = await database.read(sql, { a: 1, b: "x", c: "not asked for" });

      expect(rows).to.deep.equal([[...parameterPrefixes.map(() => (typedValues ? 1 : "1")), "x"]]);
    });

    it("name the parameter that has no value", async () => {
      const database = await open();

      const error = await failure(database.read("select :a, :__proto__", { a: 1 }));

      expect(error).to.include({
        name: "SqlFailed",
        message: "You did not supply a value for binding parameter :__proto__.",
      });
    });

    it("reject parameters that are not SQL values", async () => {
      const database = await open();
      const refused: readonly unknown[] = [{}, ["a"], new Date(0), new Map()];

      for (const value of refused) {
        expect(await failure(database.read("select ? as value", [value as never]))).to.include({
          name: "SqlFailed",
          message: "A parameter must be text, a number, a bigint, a boolean, a BLOB or null",
        });
      }
    });

    it("do not keep the values of an earlier run", async () => {
      const database = await open();
      await database.read("select ? as value", ["secret"]);

      expect((await failure(database.read("select ? as value"))).name).to.equal("SqlFailed");
      expect((await database.read("select ? as value", [null])).rows).to.deep.equal([[null]]);
    });
  });
}
