import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const SECONDS = 3;

describe("Counts and facets of a view that reads the time", () => {
  it("follow the time although the data stays the same", async () => {
    const rowhouse = await rowhouseFor({
      tables: { ticks: [{ id: 1, at: 0 }] },
      views: { recent: `select id from ticks where at > unixepoch('subsec') - ${SECONDS}` },
      // The definition of the view names a table that visitors may not view.
      metadata: { databases: { library: { tables: { ticks: { allow: { id: "root" } } } } } },
    });
    const page = "/library/recent.json?_facet=id&_shape=arrays";
    await rowhouse.post("/library/ticks/1/-/update", {
      as: "root",
      json: { update: { at: Date.now() / 1_000 } },
    });

    const early = (await rowhouse.get(page)).json;
    await sleep(SECONDS * 1_000 + 1_500);
    const late = (await rowhouse.get(page)).json;

    const counts = [early, late].map((document) => document["filtered_table_rows_count"]);
    expect([early, late].map(({ rows }) => (rows as readonly unknown[]).length)).to.deep.equal([1, 0]);
    expect(counts).to.deep.equal([1, 0]);
    expect(late["facet_results"]).to.have.nested.property("id.results").that.is.empty;
  });
});
