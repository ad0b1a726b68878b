import { expect } from "chai";
import { Client } from "pg";
import type { Database } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { insertOfList } from "../../harness/engine/books.js";

/** In place of the work that is run if the bulk form fails. */
const fail = async (): Promise<null> => {
  throw new Error("Not in bulk form");
};

// An insert looks at the schema only if other transactions may have changed it. Each spec inserts in a row, so that
// nothing is looked at, and then lets another program do something.
describePostgres("the schema of inserts into a PostgreSQL database", (server) => {
  let database: Database;
  let other: Client;
  beforeEach(async () => {
    const uri = await server().createDatabase("create table books (id bigint primary key, title text)");
    const { rowhouse } = await rowhouseFor();
    await rowhouse.addDatabase({ uri, name: "books", mutable: true });
    database = rowhouse.databases.get("books") as Database;
    other = new Client({ connectionString: uri });
    await other.connect();
  });
  afterEach(() => other.end());

  let id = 0;
  const change = (sql: string) => other.query(sql);

  /** `stored` for each insert of a row, or the name of its error. All are made for the schema of now. */
  async function inserter(returned: readonly string[] = []): Promise<(times: number) => Promise<string[]>> {
    const schema = await database.schema();
    const sql = await insertOfList(database, ["id", "title"], returned);
    const insert = (): Promise<string> => {
      id += 1;
      const bulk = { sql, items: [JSON.stringify([id, `Book ${id}`])], result: () => null };
      return database.write<null>(fail, { schema, bulk }).then(
        () => "stored",
        (error: Error) => error.name,
      );
    };
    return async (times) => {
      const outcomes: string[] = [];
      for (let turn = 0; turn < times; turn += 1) outcomes.push(await insert());
      return outcomes;
    };
  }

  // After some inserts in a row, the next ones do not look at the schema.
  const MANY = 10;
  const STORED = Array.from({ length: MANY }, () => "stored");
  const CHANGED = Array.from({ length: MANY }, () => "SchemaChanged");

  for (const returned of [[], ["id", "title"]]) {
    const form = returned.length === 0 ? "" : ", with RETURNING";

    it(`is another after a change between two of them${form}`, async () => {
      const insert = await inserter(returned);
      expect(await insert(MANY)).to.deep.equal(STORED);
      await change("alter table books add column year int");

      expect(await insert(MANY)).to.deep.equal(CHANGED);
    });

    it(`is another after a change that began before one of them, and ended after it${form}`, async () => {
      const insert = await inserter(returned);
      expect(await insert(MANY)).to.deep.equal(STORED);
      await change("begin; create table authors (id int)");
      expect(await insert(MANY)).to.deep.equal(STORED);
      await change("commit");

      expect(await insert(MANY)).to.deep.equal(CHANGED);
    });
  }

  it("is another after a change in a part of a transaction", async () => {
    const insert = await inserter();
    expect(await insert(MANY)).to.deep.equal(STORED);
    await change("begin; savepoint one; create table authors (id int); release one; commit");

    expect(await insert(1)).to.deep.equal(["SchemaChanged"]);
  });

  it("is another after a trigger of one of them has changed it", async () => {
    await change(
      "create function make() returns trigger language plpgsql as $$ begin " +
        "create table if not exists made (id int); return new; end $$; " +
        "create trigger make after insert on books for each row execute function make()",
    );
    const insert = await inserter();

    expect(await insert(2)).to.deep.equal(["stored", "SchemaChanged"]);
  });

  it("is the same after rows that others store, changes that are taken back, and failed inserts", async () => {
    const insert = await inserter();
    expect(await insert(MANY)).to.deep.equal(STORED);
    await change("insert into books values (-2, 'Other')");
    expect(await insert(MANY)).to.deep.equal(STORED);
    await change("begin; alter table books add column year int; rollback");
    expect(await insert(MANY)).to.deep.equal(STORED);
    id -= 1;
    expect(await insert(2)).to.deep.equal(["Error", "stored"]);
    const { rows } = await other.query("select count(*) from books");
    expect(rows).to.deep.equal([{ count: String(3 * MANY + 2) }]);
  });
});
