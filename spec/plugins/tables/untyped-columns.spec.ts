import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";

const SQL = `
  create table makers (id integer primary key, name text);
  insert into makers values (1, 'Acme'), (2, 'Bolt & Co');
  create table products (id integer primary key, maker references makers(id), size);
  insert into products values
    (1, 1, 5), (2, 1, '5'), (3, 2, 5.0), (4, '1', 9223372036854775807), (5, null, 9e999), (6, 2, -9e999), (7, 2, 'L');
  create table places (id integer primary key, maker integer references makers(id));
  insert into places values (1, 1);
  create virtual table indexed using fts5(word, size);
  insert into indexed values ('a', 5), ('b', 5), ('c', '5'), ('d', 2.5);
`;

describe("A column without a type", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  /** Follows a link as a client does. */
  const idsOf = async (link: string): Promise<readonly number[]> => {
    const { pathname, search } = new URL(link, rowhouse.origin);
    const path = `${pathname.replace(/\.json$/, "")}.json${search}&_shape=arrayfirst`;
    const reply: TestReply = await rowhouse.get(path);
    expect(reply.status, link).to.equal(200);
    return reply.json;
  };

  it("has facets that lead to the rows that they count, numbers and texts apart", async () => {
    const { json } = await rowhouse.get("/library/products.json?_facet=size&_nosuggest=1");

    const found = [];
    for (const { count, toggle_url: url } of json.facet_results.size.results) {
      found.push([count, await idsOf(url)]);
      const { results } = (await rowhouse.get(url.replace(rowhouse.origin, ""))).json.facet_results.size;
      expect([results.length, results[0].selected], url).to.deep.equal([1, true]);
    }
    expect(found).to.deep.equal([
      [2, [1, 3]],
      [1, [6]],
      [1, [4]],
      [1, [5]],
      [1, [2]],
      [1, [7]],
    ]);
  });

  for (const path of ["indexed.json?_facet=size", "indexed_content.json?_facet=c1"]) {
    it(`has such facets in virtual tables and in those behind them: ${path}`, async () => {
      const { json } = await rowhouse.get(`/library/${path}&_nosuggest=1`);

      const [facet] = Object.values<{ results: { count: number; toggle_url: string }[] }>(json.facet_results);
      const found = (facet?.results ?? []).map(async ({ toggle_url: url }) => (await idsOf(url)).length);
      expect(await Promise.all(found)).to.deep.equal([2, 1, 1]);
    });
  }

  it("has groups that lead to their rows", async () => {
    const { text } = await rowhouse.get("/library/products?_group=size");

    const links = [...text.matchAll(/href="(\/library\/products\?size[^"]*)"/g)].map(([, link = ""]) => link);
    const found = await Promise.all(links.map(idsOf));
    expect(found).to.deep.equal([[6], [1, 3], [4], [5], [2], [7]]);
  });

  it("is a foreign key whose rows the page of the referenced row counts, shows and leads to", async () => {
    const { json } = await rowhouse.get("/library/makers/1.json?_extras=foreign_key_tables");

    const keys = json.foreign_key_tables as readonly Record<string, string>[];
    const found = keys.map(({ other_table: table, count, link }) => [table, count, link]);
    expect(found).to.have.deep.members([
      ["places", 1, "/library/places?maker=1"],
      ["products", 3, "/library/products?maker__in=%5B1%2C+%221%22%5D"],
    ]);
    expect(await idsOf("/library/products?maker__in=%5B1%2C+%221%22%5D")).to.deep.equal([1, 2, 4]);
    expect((await rowhouse.get("/library/makers/1")).text).to.include(">3 rows</a> from");
  });
});
