import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { FacetClass } from "rowhouse/plugin-api/contracts";
import { rowhouseFor } from "rowhouse/testing";
import { until } from "../../harness/until.js";

/** Longer than suggestions may take to be computed after each change. */
const SLOW_MS = 100;
const JUST_SLOW_MS = 25;

const nothing = (): void => undefined;

const THINGS =
  "create table things (id integer primary key, kind text); insert into things values (1, 'a'), (2, 'b')";

/** A plugin whose kind of facet is suggested for the columns that `suggest` returns. */
const facetOf = (suggest: FacetClass["suggest"]) =>
  definePlugin({
    name: "slow-facet",
    deterministic: true,
    register_facet_classes: () => ({ type: "slow", values: async () => [], suggest }),
  });

describe("suggestions that take long", () => {
  it("are kept although the data changes; counts are not", async () => {
    let computed = 0;
    const slow = facetOf(async () => {
      computed += 1;
      await setTimeout(SLOW_MS);
      return ["kind"];
    });
    const rowhouse = await rowhouseFor({
      sql: THINGS,
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

  it("are shown once more while new ones are computed", async () => {
    let computed = 0;
    let finish: () => void = nothing;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = facetOf(async () => {
      computed += 1;
      if (computed > 1) await finished;
      else await setTimeout(JUST_SLOW_MS);
      return computed === 1 ? ["kind"] : ["id"];
    });
    const rowhouse = await rowhouseFor({
      sql: THINGS,
      plugins: [slow],
      // Replies that are cached ask for no suggestions.
      settings: { reply_cache_kb: 0 },
    });
    const suggested = async (): Promise<string> => {
      const { json } = await rowhouse.get("/library/things.json");
      return json.suggested_facets.map(({ name }: { readonly name: string }) => name).join();
    };

    expect(await suggested()).to.equal("kind");
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("insert into things values (3, 'c')"));
    await until(async () => {
      // Also the page that begins to compute new ones is answered.
      expect(await suggested()).to.equal("kind");
      return computed === 2;
    });
    finish();
    await until(async () => (await suggested()) === "id");
  });

  it("are not kept for others if the client has left, for whom the work was cancelled", async () => {
    const leaving = new AbortController();
    const interrupted = facetOf(async ({ visit }) => {
      if (!visit.request.query.has("_leaving")) return ["kind"];
      leaving.abort();
      await once(visit.request.signal, "abort");
      await setTimeout(JUST_SLOW_MS);
      return [];
    });
    const rowhouse = await rowhouseFor({
      sql: THINGS,
      plugins: [interrupted],
    });

    const left = await fetch(`${rowhouse.origin}/library/things.json?_leaving=1`, leaving).catch(nothing);
    await setTimeout(2 * JUST_SLOW_MS);
    const { json } = await rowhouse.get("/library/things.json");

    expect(left).to.equal(undefined);
    expect(json.suggested_facets).to.have.length(1);
  });
});
