import { expect } from "chai";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const TABLES: Readonly<
  Record<string, { readonly type: string; readonly key: string; readonly other: string }>
> = {
  days: { type: "date", key: "2024-02-29", other: "2023-02-29" },
  times: { type: "timestamptz", key: "2024-02-29 10:00:00+00", other: "noon" },
  spans: { type: "interval", key: "P1D", other: "a day" },
  hosts: { type: "inet", key: "10.0.0.1", other: "10.0.0" },
  codes: { type: "uuid", key: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", other: "a0" },
};

const pathOf = (table: string, key: string): string => `/shop/${table}/${tildeEncode(key)}`;

describePostgres("the key of a row of a Postgres database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const script = Object.entries(TABLES).map(
      ([name, { type, key }]) =>
        `create table ${name} (key ${type} primary key, name text); insert into ${name} values ('${key}', 'one');`,
    );
    const uri = await server().createDatabase(script.join(" "));
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const [table, { type, key, other }] of Object.entries(TABLES)) {
    it(`finds no row if it is not of the type ${type}`, async () => {
      const found = await rowhouse.get(`${pathOf(table, key)}.json`);
      const replies = [
        await rowhouse.get(`${pathOf(table, other)}.json`),
        await rowhouse.get(pathOf(table, other)),
        await rowhouse.post(`${pathOf(table, other)}/-/update`, {
          as: "root",
          json: { update: { name: "x" } },
        }),
        await rowhouse.post(`${pathOf(table, other)}/-/delete`, { as: "root", json: {} }),
      ];

      expect(found.status, found.text).to.equal(200);
      for (const { status, text } of replies) expect(status, text).to.equal(404);
    });

    it(`is completed while what is typed is not of the type ${type} yet`, async () => {
      const { status, text, json } = await rowhouse.get(
        `/shop/${table}/-/autocomplete.json?q=${encodeURIComponent(other)}`,
      );

      expect(status, text).to.equal(200);
      expect((json as { readonly rows: unknown }).rows).to.deep.equal([]);
    });
  }
});
