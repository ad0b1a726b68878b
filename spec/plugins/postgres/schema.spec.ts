import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("the schema of a PostgreSQL database", (server) => {
  it("has a table from its creation on, also if the schema before it is still being read", async () => {
    const tables = Array.from({ length: 600 }, (_, index) => `create table t${index} (a int, b int);`);
    const uri = await server().createDatabase(tables.join("\n"));
    const { rowhouse } = await rowhouseFor();
    const database = await rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const other = new Client({ connectionString: uri });
    await other.connect();
    const missing: number[] = [];

    for (let round = 0; round < 8; round += 1) {
      await other.query(`create table before${round} (a int)`);
      const reading = database.schema();
      await sleep(5 * (round + 1));
      await other.query(`create table after${round} (a int)`);
      if (!(await database.schema()).tables.has(`after${round}`)) missing.push(round);
      await reading;
    }

    await other.end();
    expect(missing).to.deep.equal([]);
  });

  it("has an index that was built concurrently", async () => {
    const uri = await server().createDatabase("create table notes (id int primary key, place int)");
    const { rowhouse } = await rowhouseFor();
    const database = await rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const indexes = async (): Promise<unknown> =>
      (await database.schema()).tables.get("notes")?.indexes.map(({ name }) => name);
    const [writer, builder] = [0, 1].map(() => new Client({ connectionString: uri }));
    await Promise.all([writer?.connect(), builder?.connect()]);
    await writer?.query("begin; insert into notes values (1)");
    const building = builder?.query("create index concurrently by_place on notes (place)");
    const begun = "select 1 from pg_index where not indisvalid";
    while ((await server().run(begun, uri.split("/").at(-1))).length === 0) await sleep(20);

    expect(await indexes()).to.deep.equal(["notes_pkey"]);
    await writer?.query("commit");
    await building;
    expect(await indexes()).to.deep.equal(["by_place", "notes_pkey"]);
    await Promise.all([writer?.end(), builder?.end()]);
  });

  it("has the tables that a role of its login may read", async () => {
    const uri = await server().createDatabase(`
      create table notes (id int primary key);
      create role clerks; create role clerk login;
      grant select on notes to clerks;`);
    const { rowhouse } = await rowhouseFor();
    const address = uri.replace("rowhouse@", "clerk@");
    const database = await rowhouse.addDatabase({ uri: address, name: "shop", mutable: true });
    const tables = async (): Promise<unknown> => [...(await database.schema()).tables.keys()];

    expect(await tables()).to.deep.equal([]);
    await server().run("grant clerks to clerk");
    expect(await tables()).to.deep.equal(["notes"]);
    await server().run("revoke clerks from clerk");
    expect(await tables()).to.deep.equal([]);
  });

  it("has the columns of a search index, and no types and functions with their names", async () => {
    const uri = await server().createDatabase(`
      create table notes (id int primary key, title text, "a ""b" text, text text, to_tsvector text,
        words tsvector generated always as
          (to_tsvector('simple', coalesce(title, '') || coalesce("a ""b", ''))) stored);`);
    const { rowhouse } = await rowhouseFor();
    const database = await rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    expect((await database.schema()).tables.get("notes")?.fullText?.columns).to.deep.equal(["title", 'a "b']);
  });
});
