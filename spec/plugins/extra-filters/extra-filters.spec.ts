import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const tables = {
  makers: [
    { id: 1, name: "Acme" },
    { id: 2, name: "Bolt" },
  ],
  products: "id integer primary key, name text, maker_id integer references makers(id)",
};
const sql = "insert into products values (1, 'Anvil', 1), (2, 'Crate', 1), (3, 'Bolt', 2);";

const ids = (reply: { readonly json: { readonly rows: readonly number[][] } }) =>
  reply.json.rows.map(([id]) => id);

describe("?_where=", () => {
  it("adds a condition as it was written", async () => {
    const rowhouse = await rowhouseFor({ tables, sql });

    const reply = await rowhouse.get("/library/products.json?_where=id>1&_where=maker_id=1&name__not=x");

    expect(ids(reply)).to.deep.equal([2]);
    expect(reply.json.query.sql).to.include(`where "name" != :p0 and id>1 and maker_id=1 order by`);
    expect(reply.json.human_description_en).to.equal('where name != "x"');
  });

  it("is denied to actors who may not execute SQL", async () => {
    const rowhouse = await rowhouseFor({ tables, sql, metadata: { allow_sql: { id: "ann" } } });

    const refused = await rowhouse.get("/library/products.json?_where=id=1");
    const allowed = await rowhouse.get("/library/products.json?_where=id=1", { as: "ann" });

    expect(refused.status).to.equal(403);
    expect(refused.json).to.deep.equal({
      ok: false,
      error: "_where= is not allowed",
      status: 403,
      title: null,
    });
    expect(ids(allowed)).to.deep.equal([1]);
  });

  it("is removed by a link to the first page", async () => {
    const rowhouse = await rowhouseFor({ tables, sql });

    const { text } = await rowhouse.get("/library/products?_size=1&_next=1&_where=id>1&_where=id<3");

    expect(text).to.include('class="remove" href="/library/products?_size=1&amp;_where=id%3C3"');
    expect(text).to.include('class="remove" href="/library/products?_size=1&amp;_where=id%3E1"');
  });

  for (const fragment of [
    "1=1; drop table products",
    "1=1) or (1=1",
    "nosuch = 1",
    "",
    "id in (delete from makers)",
  ]) {
    it(`answers 400 and changes nothing: ${fragment}`, async () => {
      const rowhouse = await rowhouseFor({ tables, sql });

      const { status } = await rowhouse.get(`/library/products.json?_where=${encodeURIComponent(fragment)}`);

      expect(status).to.equal(400);
      expect(await rowhouse.rows("products")).to.have.length(3);
    });
  }
});

const throughPath = (value: string): string => `/library/makers.json?_through=${encodeURIComponent(value)}`;

describe("?_through=", () => {
  it("is removed by a link", async () => {
    const rowhouse = await rowhouseFor({ tables, sql });
    const through = JSON.stringify({ table: "products", column: "name", value: "Anvil" });

    const { text } = await rowhouse.get(`/library/makers?_size=1&_through=${encodeURIComponent(through)}`);

    expect(text).to.include('<span dir="auto">products.name = &quot;Anvil&quot;</span>');
    expect(text).to.include('class="remove" href="/library/makers?_size=1"');
  });

  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables, sql });
  });
  const through = (value: string, more = "") => rowhouse.get(`${throughPath(value)}${more}`);

  it("keeps rows that a row of the other table points at", async () => {
    const reply = await through('{"table": "products", "column": "name", "value": "Anvil"}', "&name__not=x");

    expect(ids(reply)).to.deep.equal([1]);
    expect(reply.json.query.params).to.deep.equal({ p0: "x", p1: "Anvil" });
    expect(reply.json.human_description_en).to.equal('where products.name = "Anvil" and name != "x"');
  });

  it("keeps the type of its value", async () => {
    const reply = await through('{"table": "products", "column": "id", "value": 3}');

    expect(reply.json.query.params).to.deep.equal({ p0: 3 });
    expect(ids(reply)).to.deep.equal([2]);
  });

  it("refuses a column that only the selected table has, whose own value it would compare", async () => {
    const loose = await rowhouseFor({
      sql: `create table makers (id integer primary key, country text);
        create table products (id integer primary key, maker references makers);
        insert into makers values (1, 'de'); insert into products values (1, 1);`,
    });

    const { status, json } = await loose.get(
      throughPath('{"table": "products", "column": "country", "value": "de"}'),
    );

    expect([status, json.error]).to.deep.equal([400, "no such column: country"]);
    const byRowid = await loose.get(throughPath('{"table": "products", "column": "ROWID", "value": 1}'));
    expect(ids(byRowid)).to.deep.equal([1]);
  });

  for (const value of [
    "{",
    "{}",
    "[]",
    '{"table":"products"}',
    '{"table":"nosuch","column":"a","value":1}',
  ]) {
    it(`answers 400 to ${value}`, async () => {
      const { status, json } = await through(value);

      expect(status).to.equal(400);
      expect(json.error).to.match(/^Invalid _through - /);
    });
  }
});

describe("filters_from_request", () => {
  it("runs no filter with the names of version 0.1 for untrusted SQL, and logs the new names", async () => {
    const old = { where: "id > 1", params: {}, description: null, stranger: true };
    const plugin = definePlugin({ name: "old", filters_from_request: () => old });
    const rowhouse = await rowhouseFor({ tables, sql, plugins: [plugin] });

    const { status } = await rowhouse.get("/library/products.json");

    expect(status).to.equal(500);
    expect(rowhouse.logged.join()).to.match(/old.*filters_from_request.*untrusted, allowlist/);
  });
});
