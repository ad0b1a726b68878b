import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

/** The same places occur in every partition and in every table of a family. Rows of foreign tables may have none. */
const SCRIPT = `
create table visits (day date, page text, secret text) partition by list (page);
create table visits_a partition of visits for values in ('a');
create table visits_others partition of visits default;
insert into visits select date '2020-01-01' + i, case when i % 2 = 0 then 'a' else 'b' end, 's'
  from generate_series(1, 250) as i;
create table pets (name text, secret text);
create table dogs (weight int) inherits (pets);
insert into pets select 'pet ' || i, 's' from generate_series(1, 120) as i;
insert into dogs select 'dog ' || i, 's', i from generate_series(1, 120) as i;
create table keyed (id int primary key, name text, secret text);
insert into keyed select i, 'name ' || i, 's' from generate_series(1, 120) as i;
create table parents (id int primary key, secret text);
create table children (age int) inherits (parents);
insert into parents select i, 's' || i % 3 from generate_series(1, 60) as i;
insert into children select i, 'c' || i % 3, i from generate_series(1, 60) as i;
create extension file_fdw;
create server files foreign data wrapper file_fdw;
create foreign table lines (name text, secret text) server files
  options (program 'for i in $(seq 120); do echo "line $i,s"; done', format 'csv');
`;

const TABLES: Readonly<Record<string, number>> = { visits: 250, pets: 240, lines: 120 };

const withoutSecret = definePlugin({
  name: "without-secret",
  read_scope: () => [
    ...Object.keys(TABLES).map((table) => ({ table, hiddenColumns: ["secret"] })),
    { table: "keyed", hiddenColumns: ["id"] },
  ],
});

async function allRows(rowhouse: TestRowhouse, table: string, order: string): Promise<readonly string[]> {
  const rows: string[] = [];
  for (let path: string | null = `/shop/${table}.json?_size=7${order}`; path !== null;) {
    const { status, text, json } = await rowhouse.get(path);
    expect(status, text).to.equal(200);
    const page = json as { readonly rows: readonly unknown[]; readonly next_url: string | null };
    rows.push(...page.rows.map((row) => JSON.stringify(row)));
    path = page.next_url === null ? null : page.next_url.slice(page.next_url.indexOf("/shop"));
  }
  return rows;
}

describePostgres("rows without a key that share places", (server) => {
  let uri: string;
  before(async () => {
    uri = await server().createDatabase(SCRIPT);
  });

  async function open(plugins: readonly ReturnType<typeof definePlugin>[]): Promise<TestRowhouse> {
    const rowhouse = await rowhouseFor({ plugins });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    return rowhouse;
  }

  for (const [table, count] of Object.entries(TABLES)) {
    it(`of ${table} come once each, page by page`, async () => {
      const rowhouse = await open([]);
      for (const order of ["", "&_sort=secret", "&_sort_desc=secret"])
        expect(new Set(await allRows(rowhouse, table, order)), order).to.have.property("size", count);
    });

    it(`of ${table} come once each to clients from whom a column is hidden`, async () => {
      const rowhouse = await open([withoutSecret]);
      expect(new Set(await allRows(rowhouse, table, ""))).to.have.property("size", count);
    });
  }

  it("come once each if tables that inherit have rows with the same keys", async () => {
    const rowhouse = await open([]);
    for (const order of ["", "&_sort=secret", "&_sort_desc=id"])
      expect(new Set(await allRows(rowhouse, "parents", order)), order).to.have.property("size", 120);
    const { text } = await rowhouse.get("/shop/parents.csv?_stream=1");
    expect(text.trim().split("\r\n")).to.have.length(121);
  });

  it("come once each to clients from whom the key is hidden", async () => {
    const rowhouse = await open([withoutSecret]);
    expect(new Set(await allRows(rowhouse, "keyed", ""))).to.have.property("size", 120);
  });
});
