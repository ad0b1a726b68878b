import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const CASES = [
  ["update books set missing = 1", "no such column: missing"],
  ['insert into books ("a ""b") values (1)', 'no such column: a "b'],
  ["delete from books where books.missing = 1", "no such column: books.missing"],
  ["update missing.books set id = 1", "no such table: missing.books"],
] as const;

describePostgres("a write query of PostgreSQL that names what does not exist", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const queries = Object.fromEntries(CASES.map(([sql], index) => [`q${index}`, { sql, write: true }]));
    rowhouse = await rowhouseFor({ metadata: { databases: { shop: { queries } } } });
    const uri = await server().createDatabase("create table books (id int primary key)");
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const [index, [sql, message]] of CASES.entries()) {
    it(`is answered with the name alone: ${sql}`, async () => {
      const { json } = await rowhouse.post(`/shop/q${index}?_json=1`, { as: "root", json: {} });

      expect(json).to.deep.include({ ok: false, message });
    });
  }
});
