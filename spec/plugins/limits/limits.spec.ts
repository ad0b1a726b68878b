import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { networkOf } from "../../../plugins/limits/client.js";
import { rowhouseFor } from "../../harness/index.js";
import { until } from "../../harness/until.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const PATH = "/library/books.json";

describe("limits of clients", () => {
  it("answer 429 after max_requests, with the time to wait, and count each actor and address apart", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { max_requests: 2, limit_window_seconds: 100 } });
    const from = (address: string) =>
      rowhouse.get(PATH, { headers: { "x-forwarded-for": `10.0.0.1, ${address}` } });

    const [first, second, third] = [await from("1.1.1.1"), await from("1.1.1.1"), await from("1.1.1.1")];

    expect([first.status, second.status, third.status]).to.deep.equal([200, 200, 429]);
    expect(first.headers["ratelimit-policy"]).to.equal('"requests";q=2;w=100');
    expect(first.headers["ratelimit"]).to.match(/^"requests";r=1;t=\d+$/);
    expect(Number(third.headers["retry-after"])).to.be.within(1, 100);
    expect(third.json).to.include({ ok: false, status: 429 });
    expect((await from("2.2.2.2")).status).to.equal(200);
    expect((await rowhouse.get(PATH, { as: "ann" })).status).to.equal(200);
    expect((await rowhouse.get("/-/health", { headers: { "x-forwarded-for": "1.1.1.1" } })).status).to.equal(
      200,
    );
  });

  it("count actors apart whose ids only look alike", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { max_requests: 1, limit_window_seconds: 100 } });

    for (const id of [1, "1", { user: 1 }, { user: 2 }]) {
      const twice = [await rowhouse.get(PATH, { as: { id } }), await rowhouse.get(PATH, { as: { id } })];
      expect(twice.map(({ status }) => status)).to.deep.equal([200, 429]);
    }
  });

  it("begin again after the window", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { max_requests: 1, limit_window_seconds: 1 } });
    await rowhouse.get(PATH);
    expect((await rowhouse.get(PATH)).status).to.equal(429);

    await sleep(1_100);

    expect((await rowhouse.get(PATH)).status).to.equal(200);
  });

  it("never tell clients to wait for longer than the window, also after the clock was set back", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { max_requests: 1, limit_window_seconds: 60 } });
    await rowhouse.get(PATH);
    const real = Date.now;
    Date.now = () => real() - 86_400_000;
    try {
      const { status, headers } = await rowhouse.get(PATH);

      expect([status, headers["retry-after"]]).to.deep.equal([429, "60"]);
      expect(headers["ratelimit"]).to.equal('"requests";r=0;t=60');
    } finally {
      Date.now = real;
    }
  });

  it("refuse clients that have used max_sql_seconds", async () => {
    const settings = { max_sql_seconds: 1, limit_window_seconds: 600, reply_cache_kb: 0 };
    const rowhouse = await rowhouseFor({ tables, settings });
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n limit 1";

    await rowhouse.get(`/library.json?_timelimit=1500&sql=${encodeURIComponent(slow)}`, { as: "bob" });

    const [bob, ann] = await Promise.all([
      rowhouse.get(PATH, { as: "bob" }),
      rowhouse.get(PATH, { as: "ann" }),
    ]);
    expect([bob.status, ann.status]).to.deep.equal([429, 200]);
    expect(bob.json.error).to.match(/^Too much time in SQL: try again in \d+ seconds$/);
    const error = await rowhouseFor({ tables, settings: { max_sql_seconds: 1, sql_timing: "off" } }).catch(
      String,
    );
    expect(error).to.include("The setting max_sql_seconds needs sql_timing");
  });

  it("refuse more than max_requests_at_once, and forget those that have ended", async () => {
    const gate = new EventEmitter();
    const slow = definePlugin({
      name: "slow",
      register_routes: () => ({
        name: "slow",
        path: "/-/slow",
        target: "instance",
        view: () => once(gate, "open").then(() => reply.text("done")),
      }),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [slow], settings: { max_requests_at_once: 2 } });

    const held = [rowhouse.get("/-/slow"), rowhouse.get("/-/slow")];
    await until(() => gate.listenerCount("open") === 2);
    const refused = await rowhouse.get(PATH);
    const other = await rowhouse.get(PATH, { as: "ann" });
    gate.emit("open");

    expect((await Promise.all(held)).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect([refused.status, refused.headers["retry-after"], other.status]).to.deep.equal([429, "1", 200]);
    for (let count = 0; count < 5; count += 1) expect((await rowhouse.get("/nothing")).status).to.equal(404);
    expect((await rowhouse.get(PATH)).status).to.equal(200);
  });

  it("refuse more SQL at once than max_sql_at_once, streams included", async () => {
    const settings = { max_sql_at_once: 1, sql_time_limit_ms: 60_000, reply_cache_kb: 0 };
    const sql = `create table big as with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      select i, hex(zeroblob(500)) as filler from n`;
    const rowhouse = await rowhouseFor({ tables, settings, sql });
    const { origin } = rowhouse;
    const gone = new AbortController();
    const path = (sql: string): string => `${origin}/library.json?sql=${encodeURIComponent(sql)}`;
    // Nothing of the body is read, so that the stream remains open.
    const stream = await fetch(`${origin}/library/big.csv?_stream=on&_where=i+>+0`, { signal: gone.signal });

    expect(stream.status).to.equal(200);
    const refused = await fetch(path("select 1"));
    expect(refused.status).to.equal(429);
    expect(await refused.json()).to.include({ error: "Too many SQL queries at once" });
    expect((await fetch(`${origin}${PATH}`)).status).to.equal(200);
    expect((await rowhouse.get("/library.json?sql=select+1", { as: "ann" })).status).to.equal(200);
    gone.abort();

    await until(async () => (await fetch(path("select 1"))).status === 200);
  });

  it("take a network of IPv6 for one client", () => {
    expect(networkOf("2001:DB8::1")).to.equal("2001:db8:0:0");
    expect(networkOf("2001:db8:0:0:ffff::1")).to.equal("2001:db8:0:0");
    expect(networkOf("::1")).to.equal("0:0:0:0");
    expect(networkOf("10.0.0.1")).to.equal("10.0.0.1");
  });
});
