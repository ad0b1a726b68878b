import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

/** Longer than suggestions may take to be computed after each change. */
const SLOW_MS = 100;

describe("suggestions that take long", () => {
  it("are kept although the data changes; counts are not", async () => {
    let computed = 0;
    const slow = definePlugin({
      name: "slow-facet",
      deterministic: true,
      register_facet_classes: () => ({
        type: "slow",
        values: async () => [],
        async suggest() {
          computed += 1;
          await setTimeout(SLOW_MS);
          return ["kind"];
        },
      }),
    });
    const rowhouse = await rowhouseFor({
      sql: "create table things (id integer primary key, kind text); insert into things values (1, 'a'), (2, 'b')",
      plugins: [slow],
    });
    const page = async () => {
      const { json } = await rowhouse.get("/library/things.json");
      return {
        count: json.filtered_table_rows_count,
        suggested: json.suggested_facets.map(({ name }: { readonly name: string }) => name),
      };
    };

    const before = await page();
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("insert into things values (3, 'c')"));
    const after = await page();

    expect(before).to.deep.equal({ count: 2, suggested: ["kind"] });
    expect(after).to.deep.equal({ count: 3, suggested: ["kind"] });
    expect(computed).to.equal(1);
  });
});
