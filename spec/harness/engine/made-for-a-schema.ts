import { expect } from "chai";
import { SchemaChanged } from "rowhouse/plugin-api/errors";
import type { Database, Schema, Transaction } from "rowhouse/plugin-api";
import { insertOfList, titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

const insertOf = (title: string) => (transaction: Transaction) =>
  transaction.run("insert into books (title) values (?)", [title]);

/** Stores a book by a function, and with a bulk form if there is `sql` for it. */
function store(
  database: Database,
  title: string,
  { schema, sql }: { readonly schema: Schema | null; readonly sql: string | null },
): Promise<unknown> {
  const bulk = sql === null ? null : { sql, items: [JSON.stringify([title])], result: () => null };
  return database.write<unknown>(insertOf(title), { schema, bulk });
}

const widen = (database: Database): Promise<unknown> =>
  database.write((transaction) => transaction.run("alter table books add column year integer"));

/** `stored`, or the name of the error, for each write. */
const outcomes = async (writes: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(writes)).map((result) =>
    result.status === "fulfilled" ? "stored" : result.reason.name,
  );

export function describeWritesMadeForASchema(open: OpenEngine): void {
  describe("a write made for a schema", () => {
    for (const hasBulkForm of [false, true]) {
      const form = hasBulkForm ? "in bulk form" : "as a function";

      it(`is stored under this schema, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();
        const sql = hasBulkForm ? await insertOfList(database, ["title"]) : null;

        await Promise.all(["Sanditon", "Lady Susan"].map((title) => store(database, title, { schema, sql })));

        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Sanditon", "Lady Susan"]);
      });

      it(`fails under another schema, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();
        const sql = hasBulkForm ? await insertOfList(database, ["title"]) : null;
        await widen(database);

        const stored = await outcomes([store(database, "Sanditon", { schema, sql })]);

        expect(stored).to.deep.equal([SchemaChanged.name]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion"]);
        await store(database, "Sanditon", { schema: await database.schema(), sql });
        expect(await titles(database)).to.have.length(3);
      });

      it(`depends on the schema at its place in the queue, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();
        const sql = hasBulkForm ? await insertOfList(database, ["title"]) : null;

        const results = await outcomes([
          store(database, "Before", { schema, sql }),
          widen(database),
          store(database, "After", { schema, sql }),
          store(database, "Any", { schema: null, sql }),
        ]);

        expect(results).to.deep.equal(["stored", "stored", SchemaChanged.name, "stored"]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Before", "Any"]);
      });

      it(`is stored if the write before it rolls back its change of the schema, ${form}`, async () => {
        const database = await withBooks(open);
        const schema = await database.schema();
        const sql = hasBulkForm ? await insertOfList(database, ["title"]) : null;

        const results = await outcomes([
          store(database, "Before", { schema, sql }),
          database.write(async (transaction) => {
            await transaction.run("alter table books add column year integer");
            throw new TypeError("no");
          }),
          store(database, "After", { schema, sql }),
        ]);

        expect(results).to.deep.equal(["stored", TypeError.name, "stored"]);
        expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Before", "After"]);
      });
    }
  });
}
