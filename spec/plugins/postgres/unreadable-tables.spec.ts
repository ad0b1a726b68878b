import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

/** A table of a server that is down, and a view without data. Nothing listens on port 1. */
const SCRIPT = `
  create extension postgres_fdw;
  create server other foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1', dbname 'none');
  create user mapping for current_user server other options (user 'none', password 'none');
  create foreign table remote (id int) server other;
  create materialized view later as select 1 as id with no data;
  create table books (id int primary key);
  insert into books values (1), (2);`;

describePostgres("tables that PostgreSQL can't read", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const sessions = async (): Promise<unknown> => {
    const sql = "select pid from pg_stat_activity where application_name = 'rowhouse' order by pid";
    return server().run(sql);
  };

  it("are listed without a count", async () => {
    const { status, text, json } = await rowhouse.get("/shop.json");

    expect(status, text).to.equal(200);
    const { tables } = json as { readonly tables: readonly Readonly<Record<string, unknown>>[] };
    expect(
      tables.map(({ name, count, count_estimated }) => ({ name, count, count_estimated })),
    ).to.deep.equal([
      { name: "books", count: 2, count_estimated: undefined },
      { name: "remote", count: null, count_estimated: undefined },
    ]);
    for (const path of ["/", "/.json", "/shop", "/shop/books.json"])
      expect((await rowhouse.get(path)).status, path).to.equal(200);
  });

  it("answer with the reason, and keep the sessions with the server", async () => {
    await rowhouse.get("/shop/books.json");
    const written = await rowhouse.post("/shop/remote/-/insert", { as: "root", json: { row: { id: 1 } } });
    const before = await sessions();

    const remote = await rowhouse.get("/shop/remote.json");
    const later = await rowhouse.get("/shop/later.json");

    for (const { status, text } of [remote, written]) {
      expect(status, text).to.equal(503);
      expect(text).to.contain("could not connect to server");
    }
    expect(later.status, later.text).to.equal(400);
    expect(later.text).to.contain("has not been populated");
    expect(await sessions()).to.deep.equal(before);
  });
});
