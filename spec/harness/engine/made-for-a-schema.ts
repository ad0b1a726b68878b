import { expect } from "chai";
import { SchemaChanged } from "rowhouse/plugin-api/errors";
import type { Database, Schema, Transaction } from "rowhouse/plugin-api";
import { titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

const insertOf = (title: string) => (transaction: Transaction) =>
  transaction.run("insert into books (title) values (?)", [title]);

/** Stores a book as a work, or as a list with it. */
function store(
  database: Database,
  title: string,
  { schema, asList = false }: { readonly schema: Schema | null; readonly asList?: boolean },
): Promise<unknown> {
  const list = {
    sql: "insert into books (title) select value from json_each(?)",
    items: [JSON.stringify(title)],
    result: () => null,
  };
  return database.write<unknown>(insertOf(title), { schema, bulk: asList ? list : null });
}

const widen = (database: Database): Promise<unknown> =>
  database.write((transaction) => transaction.run("alter table books add column year integer"));

/** `stored`, or the name of the error, of each in turn. */
const outcomes = async (writes: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(writes)).map((result) =>
    result.status === "fulfilled" ? "stored" : result.reason.name,
  );

export function describeWritesMadeForASchema(open: OpenEngine): void {
  describe("a write made for a schema", () => {
    for (const asList of [false, true]) {
      const form = asList ? "as a list" : "as a work";

      it(`happens under it, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();

        await Promise.all(
          ["Sanditon", "Lady Susan"].map((title) => store(database, title, { schema, asList })),
        );

        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Sanditon", "Lady Susan"]);
      });

      it(`is not made under another, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();
        await widen(database);

        const stored = await outcomes([store(database, "Sanditon", { schema, asList })]);

        expect(stored).to.deep.equal([SchemaChanged.name]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion"]);
        await store(database, "Sanditon", { schema: await database.schema(), asList });
        expect(await titles(database)).to.have.length(3);
      });

      it(`is made or not by what was there when its turn came, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();

        const results = await outcomes([
          store(database, "Before", { schema, asList }),
          widen(database),
          store(database, "After", { schema, asList }),
          store(database, "Any", { schema: null, asList }),
        ]);

        expect(results).to.deep.equal(["stored", "stored", SchemaChanged.name, "stored"]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Before", "Any"]);
      });

      it(`waits for what another makes of the schema and then takes back, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();

        const results = await outcomes([
          store(database, "Before", { schema, asList }),
          database.write(async (transaction) => {
            await transaction.run("alter table books add column year integer");
            throw new TypeError("no");
          }),
          store(database, "After", { schema, asList }),
        ]);

        expect(results).to.deep.equal(["stored", TypeError.name, "stored"]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Before", "After"]);
      });
    }
  });
}
