import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import { openRaw } from "../../harness/raw-sqlite.js";

/** Runs a script in another connection after a table was looked up for a request, once. */
function changing(file: () => string, scripts: string[]): Plugin {
  return definePlugin({
    name: "changing",
    read_scope: async () => {
      const script = scripts.pop();
      if (script === undefined) return null;
      const raw = await openRaw(file());
      await raw.run(script);
      await raw.close();
      return null;
    },
  });
}

describe("pages of a table whose schema changes while they are read", () => {
  for (const path of ["t.json?_shape=array", "t/1.json?_shape=array", "t.json?_shape=array&name=a"])
    it(`have the columns of the new schema: ${path}`, async () => {
      const scripts: string[] = [];
      const rowhouse = await rowhouseFor({
        sql: "create table t (id integer primary key, name text, old text); insert into t values (1, 'a', 'b')",
        plugins: [changing(() => rowhouse.file(), scripts)],
      });
      scripts.push("alter table t drop column old");

      const { status, text } = await rowhouse.get(`/library/${path}`);

      expect([status, text]).to.deep.equal([200, '[{"id": 1, "name": "a"}]']);
    });

  it("are missing if the table was dropped", async () => {
    const scripts: string[] = [];
    const rowhouse = await rowhouseFor({
      sql: "create table t (id integer primary key)",
      plugins: [changing(() => rowhouse.file(), scripts)],
    });
    scripts.push("drop table t");

    expect((await rowhouse.get("/library/t.json")).status).to.equal(404);
  });

  it("are refused once if a plugin finds the table under a schema of its own", async () => {
    const views = definePlugin({
      name: "views",
      async locate_resource(_rowhouse, { database, key }) {
        const schema = { ...(await database.schema()), version: "own" };
        const table = schema.tables.get("t");
        if (table === undefined || key !== null) return null;
        const source = { table, flattenable: "t", params: {}, restricted: false };
        return { kind: "table", database, table, source: source as never, schema };
      },
    });
    const rowhouse = await rowhouseFor({ sql: "create table t (id integer primary key)", plugins: [views] });

    const { status, json } = await rowhouse.get("/library/t.json?_where=nope=1");

    expect([status, json.error]).to.deep.equal([400, "no such column: nope"]);
  });
});
