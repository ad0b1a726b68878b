import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const filters: readonly (readonly [query: string, names: readonly string[]])[] = [
  ["value=0.5", ["half"]],
  ["value=-3", ["minus"]],
  ["value=1e2", ["hundred"]],
  ["value=9007199254740993", ["large"]],
  ["value=word", ["word"]],
  ["value__not=-3", ["half", "hundred", "large", "word"]],
  ["value__lt=0.5", ["minus"]],
  ["value__gte=-2.5", ["half", "hundred", "large", "word"]],
  ["value__lte=9007199254740992", ["half", "hundred", "minus"]],
  ["value__in=0.5,-3,word", ["half", "minus", "word"]],
  ["value__notin=0.5,-3", ["hundred", "large", "word"]],
];

describe("filters of columns that a view computes", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { loose: "name text, value" },
      views: { computed: "select name, iif(typeof(value) = 'text', value, value + 0) as value from loose" },
      sql: `insert into loose values
        ('half', 0.5), ('minus', -3), ('hundred', 100), ('large', 9007199254740993), ('word', 'word');`,
    });
  });

  for (const [query, names] of filters) {
    it(`find numbers as numbers: ${query}`, async () => {
      const { json } = await rowhouse.get(`/library/computed.json?${query}&_shape=array&_sort=name`);

      expect(json.map(({ name }: { name: string }) => name)).to.deep.equal(names);
    });
  }

  it("find what a facet counted, by the facet's own link", async () => {
    const { json } = await rowhouse.get("/library/computed.json?_facet=value");

    for (const { toggle_url, count } of json.facet_results.value.results) {
      const url = new URL(toggle_url);
      const page = await rowhouse.get(url.pathname + url.search);
      expect(page.json.filtered_table_rows_count, toggle_url).to.equal(count);
    }
  });
});
