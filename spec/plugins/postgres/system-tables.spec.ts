import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

/** The server looks for tables of the system first: `pg_shadow` holds its password hashes. */
const SCRIPT = `
  create table public.pg_roles (rolname text primary key, rolsuper text);
  create table public.pg_stat_notes (id int primary key);
  create table notes (id int primary key);
  create role secretive password 'secret';`;

describePostgres("tables with the names of those of PostgreSQL itself", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const errorsOf = async (path: string, json: object): Promise<unknown> => {
    const { status, json: answer } = await rowhouse.post(`/shop/${path}`, { as: "root", json });
    expect(status).to.equal(400);
    return (answer as { readonly errors: unknown }).errors;
  };

  it("are not created", async () => {
    const message = "The name pg_shadow begins with pg_, as those of the system do";

    expect(await errorsOf("-/create", { table: "pg_shadow", row: { usename: "a" }, pk: "usename" })).to.eql([
      message,
    ]);
    const operations = [{ op: "rename_table", args: { to: "pg_shadow" } }];
    expect(await errorsOf("notes/-/alter", { operations })).to.eql([`Operation 0: ${message}`]);
    const database = rowhouse.rowhouse.database("shop");
    const folded = await failure(
      database.write((transaction) => transaction.run("create table PG_Shadow (a int)")),
    );
    expect(folded.message).to.equal(message);
  });

  it("are not shown in place of those of another program", async () => {
    const { status, text } = await rowhouse.get("/shop/pg_roles.json");

    expect(status, text).to.equal(404);
    expect((await rowhouse.get("/shop.json")).text).to.not.contain("pg_roles");
    expect((await rowhouse.get("/shop/pg_stat_notes.json")).status).to.equal(200);
  });

  it("are named by the report of a copy, which leaves them out", async () => {
    const database = rowhouse.rowhouse.databases.get("shop");
    const found = await database?.read(database.dialect.definitions.hiddenData ?? "");

    expect(found?.rows).to.deep.equal([["pg_roles", "table"]]);
  });
});
