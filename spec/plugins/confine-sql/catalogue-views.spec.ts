import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const VIEWS: Readonly<Record<string, string>> = {
  definitions: "select name, sql from sqlite_master",
  quoted: 'select name, sql from "SQLite_Schema"',
  sequences: "select name, seq from sqlite_sequence",
  statistics: "select tbl, stat from sqlite_stat1",
  through: "select name from definitions",
};

const SQL = `
  create table open (id integer primary key autoincrement, tags text);
  insert into open (tags) values ('["a"]');
  create table secret (id integer primary key autoincrement, codeword text);
  insert into secret (codeword) values ('x');
  analyze;
  ${Object.entries(VIEWS)
    .map(([name, select]) => `create view ${name} as ${select};`)
    .join("\n")}
  create view harmless as select open.id, value, sqlite_version() as v from open, json_each(open.tags);`;

describe("views of SQLite's own tables", () => {
  for (const name of Object.keys(VIEWS)) {
    it(`are closed to actors who may not view all tables: ${name}`, async () => {
      const rowhouse = await rowhouseFor({
        sql: SQL,
        settings: { confine_sql: true },
        metadata: { databases: { library: { tables: { secret: { allow: { id: "root" } } } } } },
      });

      expect((await rowhouse.get(`/library/${name}.json`)).status).to.equal(403);
      expect((await rowhouse.get(`/library.json?sql=select+*+from+${name}`)).status).to.equal(403);
      expect((await rowhouse.get(`/library/harmless.json`)).status).to.equal(200);
      const { status, text } = await rowhouse.get(`/library/${name}.json`, { as: "root" });
      expect([status, text.includes("secret")]).to.deep.equal([200, true]);
    });

    it(`have no rows for actors from whom a column is hidden: ${name}`, async () => {
      const rowhouse = await rowhouseFor({
        sql: SQL,
        plugins: [
          definePlugin({
            name: "no-codewords",
            read_scope: (_rowhouse, { actor }) =>
              actor?.id === "root" ? null : { table: "secret", hiddenColumns: ["codeword"] },
          }),
        ],
      });
      const count = async (view: string, as?: string): Promise<number> =>
        (await rowhouse.get(`/library/${view}.json`, as === undefined ? {} : { as })).json.rows.length;

      expect(await count(name)).to.equal(0);
      expect(await count(name, "root")).to.be.above(0);
      expect(await count("harmless")).to.equal(1);
    });
  }
});
