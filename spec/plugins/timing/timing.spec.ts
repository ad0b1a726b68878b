import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const measured = { tables, settings: { server_timing: true } };

/** `total;dur=1.5, cache;desc="miss"` as `{ total: 1.5, cache: "miss" }`. */
const metricsIn = (header: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    String(header)
      .split(", ")
      .map((metric) => {
        const [, name = "", duration, word] = /^(\w+);(?:dur=([\d.]+)|desc="(\w+)")$/.exec(metric) ?? [];
        return [name, duration === undefined ? word : Number(duration)];
      }),
  );

describe("the header Server-Timing", () => {
  it("tells the time of the request and of its SQL, and the state of the cache", async () => {
    const rowhouse = await rowhouseFor(measured);

    const first = await rowhouse.get("/library/books.json");
    const again = await rowhouse.get("/library/books.json");
    const sql = await rowhouse.get("/library.json?sql=select+1");

    const { total, sql: sqlMs, cache } = metricsIn(first.headers["server-timing"]);
    expect(Number(total)).to.be.above(0);
    expect(Number(sqlMs)).to.be.above(0);
    expect(cache).to.equal("miss");
    expect(metricsIn(again.headers["server-timing"])).to.include({ cache: "hit", sql: 0 });
    expect(Number(metricsIn(sql.headers["server-timing"])["sql"])).to.be.above(0);
  });

  it("is absent by default, because it tells clients how long a statement took", async () => {
    const rowhouse = await rowhouseFor({ tables });

    expect((await rowhouse.get("/library/books.json")).headers).to.not.have.property("server-timing");
  });

  it("counts statements for the request that runs them, also at the same time", async () => {
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) select count(*) from n";
    const rowhouse = await rowhouseFor({
      ...measured,
      settings: { ...measured.settings, reply_cache_kb: 0 },
    });

    const [one, ...others] = await Promise.all([
      rowhouse.get(`/library.json?sql=${encodeURIComponent(slow)}`),
      ...Array.from({ length: 8 }, () => rowhouse.get("/-/plugins.json")),
    ]);

    expect(Number(metricsIn(one?.headers["server-timing"])["sql"])).to.be.above(1);
    for (const { headers } of others) expect(metricsIn(headers["server-timing"])["sql"]).to.equal(0);
  });

  it("refuses other words for sql_timing", async () => {
    const error = await rowhouseFor({ tables, settings: { sql_timing: "perhaps" } }).catch(
      (cause: unknown) => cause,
    );

    expect(String(error)).to.include('"sql_timing" should be auto, on or off');
  });
});
