import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("Filters by values that JSON writes alike", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table sums (id integer primary key, total real, kind text);
        insert into sums values (1, 9e999, 'a'), (2, 9e999, 'b'), (3, -9e999, 'a'), (4, 0, 'c'), (5, null, 'c');
        create table codes (code primary key, name text);
        insert into codes values ('A', 'text'), (x'41', 'bytes');
        create table uses (id integer primary key, code references codes(code));
        insert into uses values (1, 'A'), (2, x'41');`,
    });
  });

  const lists = [
    ["[9e999]", 2, ["a", "b"]],
    ["[-9e999]", 1, ["a"]],
    ["[null]", 0, []],
    ["[null,0]", 1, ["c"]],
  ] as const;

  it("have their own counts, facets, groups, statistics and places in the order", async () => {
    for (const [list, count, kinds] of lists) {
      const filter = `total__in=${encodeURIComponent(list)}&_nosuggest=1`;
      const { json } = await rowhouse.get(`/library/sums.json?_facet=kind&${filter}`);
      expect(json.rows, list).to.have.length(count);
      expect(json.filtered_table_rows_count, list).to.equal(count);
      const values = json.facet_results.kind.results as readonly { readonly value: string }[];
      expect(
        values.map(({ value }) => value),
        list,
      ).to.have.members(kinds);
      const groups = await rowhouse.get(`/library/sums.json?_shape=arrayfirst&_group=kind&${filter}`);
      expect(groups.json, list).to.deep.equal(kinds);
      const statistics = await rowhouse.get(`/library/sums/-/columns.json?${filter}`);
      expect(statistics.json.columns[0].filled, list).to.equal(count);
    }
  });

  it("have their own labels", async () => {
    for (const [id, label] of [
      [1, "text"],
      [2, "bytes"],
    ]) {
      const { json } = await rowhouse.get(`/library/uses.json?id=${id}&_labels=on&_nosuggest=1`);
      expect(json.rows[0].code.label).to.equal(label);
    }
  });
});
