import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { Metric } from "rowhouse/plugin-api/contracts";
import { workplace } from "../../cli/command.js";
import { freePort } from "../../harness/free-port.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { until } from "../../harness/until.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const tables = { books: [{ id: 1, title: "Emma" }] };

/** The value of the sample whose line begins with this text; 0 without one. */
const sample = (text: string, start: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${start} `))
      ?.slice(start.length + 1) ?? 0,
  );

const scrape = async (rowhouse: TestRowhouse): Promise<string> =>
  (await rowhouse.get("/-/metrics", { as: "root" })).text;

/** A request to insert a book. */
const row = (title: string): object => ({ as: "root", json: { row: { title } } });

describe("/-/metrics", () => {
  it("requires view-metrics, which root has", async () => {
    const metadata = { permissions: { "view-metrics": { id: ["prometheus", "root"] } } };
    const rowhouse = await rowhouseFor({ tables, metadata });
    const token = await rowhouse.rowhouse.service("tokens").createToken("prometheus");

    const statuses = await Promise.all([
      rowhouse.get("/-/metrics"),
      rowhouse.get("/-/metrics", { as: "ann" }),
      rowhouse.get("/-/metrics", { token }),
      rowhouse.get("/-/metrics", { as: "root" }),
    ]);

    expect(statuses.map(({ status }) => status)).to.deep.equal([403, 403, 200, 200]);
    expect(statuses[3]?.headers["content-type"]).to.include("text/plain; version=0.0.4");
    expect(statuses[0]?.text).to.include("Permission denied: need view-metrics").and.not.include("library");
  });

  it("is not granted by an allow block of the instance", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata: { allow: true } });

    expect((await rowhouse.get("/-/metrics", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/-/metrics", { as: "root" })).status).to.equal(200);
  });

  it("counts requests by route, status and format, with no text of clients in labels", async () => {
    const rowhouse = await rowhouseFor({ tables });

    await rowhouse.get("/library/books.json");
    await rowhouse.get("/library/books.json");
    await rowhouse.get("/library/books");
    await rowhouse.get("/secret-name");
    await rowhouse.get("/-/health");
    await rowhouse.get("/-/static/app.css");
    await rowhouse.request("PROPFIND", "/library/books");

    const count = (labels: string): Promise<number> =>
      scrape(rowhouse).then((text) => sample(text, `rowhouse_request_duration_seconds_count{${labels}}`));
    await until(async () => (await count('route="table",method="GET",status="200",format="json"')) === 2);
    expect(await count('route="table",method="GET",status="200",format="html"')).to.equal(1);
    expect(await count('route="none",method="GET",status="404",format="none"')).to.equal(1);
    for (const route of ["health", "static", "metrics"])
      expect(await count(`route="${route}",method="GET",status="200",format="none"`)).to.be.above(0);
    const text = await scrape(rowhouse);
    expect(text).to.not.match(/secret-name|PROPFIND/);
    expect(sample(text, 'rowhouse_reply_cache_requests_total{state="hit"}')).to.equal(1);
    expect(sample(text, "rowhouse_reply_cache_entries")).to.equal(2);
    expect(sample(text, "rowhouse_response_body_bytes_total")).to.be.above(500);
  });

  it("measures SQL, commits and processes of each database", async () => {
    const rowhouse = await rowhouseFor({ tables, databases: { other: "create table t (id)" } });

    await Promise.all(
      ["a", "b", "c", "d"].map((title) => rowhouse.post("/library/books/-/insert", row(title))),
    );
    await rowhouse.get("/other.json?sql=select+1");

    const text = await scrape(rowhouse);
    const of = (name: string, database: string): number => sample(text, `${name}{database="${database}"}`);
    expect(of("rowhouse_commit_writes_sum", "library")).to.equal(4);
    expect(of("rowhouse_commit_writes_count", "library")).to.be.within(1, 4);
    expect(of("rowhouse_commit_duration_seconds_sum", "library")).to.be.above(0);
    expect(of("rowhouse_sql_duration_seconds_count", "other")).to.be.above(0);
    expect(of("rowhouse_sql_waiting_writes", "library")).to.equal(0);
    expect(text).to.match(/^process_open_fds \d+$/m);
    expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(sample(text, "rowhouse_workers")).to.equal(1);
    expect(text).to.include(`rowhouse_info{version="${rowhouse.rowhouse.version}"} 1`);
  });

  it("has the metrics of plugins, without those that fail, which the log names", async () => {
    const shelves = [
      { labels: { shelf: "a" }, value: 2 },
      { labels: { shelf: "b" }, value: 0.5 },
    ];
    const good = { name: "desk_open", help: "Open desks", type: "gauge" } as const;
    const metrics: readonly Metric[] = [
      { ...good, read: async () => 3 },
      { name: "desk_loans_total", help: "Loans", type: "counter", labels: ["shelf"], read: () => shelves },
      { ...good, name: "rowhouse_workers", read: () => 1 },
      { ...good, name: "two words", read: () => 1 },
      { ...good, name: "no_labels", read: () => shelves },
      { ...good, name: "no_number", read: () => "5" as never },
      { ...good, name: "no_list", read: () => ({}) as never },
      { ...good, name: "no_text", labels: ["id"], read: () => [{ labels: { id: 5n as never }, value: 1 }] },
      { ...good, name: "late", read: () => new Promise<never>(() => {}) },
      { ...good, name: "odd_type", type: "timer" as never, read: () => 1 },
    ];
    const desk = definePlugin({ name: "desk", register_metrics: () => metrics });
    const rowhouse = await rowhouseFor({ tables, plugins: [desk], settings: { hook_time_limit_ms: 50 } });

    const text = await scrape(rowhouse);

    expect(text).to.include("# HELP desk_open Open desks\n# TYPE desk_open gauge\ndesk_open 3\n");
    expect(sample(text, 'desk_loans_total{shelf="a"}')).to.equal(2);
    expect(sample(text, 'desk_loans_total{shelf="b"}')).to.equal(0.5);
    expect(sample(await scrape(rowhouse), 'desk_loans_total{shelf="a"}')).to.equal(2);
    expect(sample(text, "rowhouse_workers")).to.equal(1);
    for (const name of [
      "rowhouse_workers",
      "two words",
      "no_labels",
      "no_number",
      "no_list",
      "no_text",
      "late",
      "odd_type",
    ]) {
      expect(text).not.to.match(new RegExp(`^${name}(?! 1$)`, "m"));
      const failure = `Plugin desk failed in the metric ${name}: `;
      expect(rowhouse.logged.join("\n").split(failure), name).to.have.length(2);
    }
  });

  it("has the value of a plugin's metric once, also if two clients request it at the same time", async () => {
    const waiting: (() => void)[] = [];
    const read = (): Promise<number> => new Promise((done) => waiting.push(() => done(3)));
    const slow: Metric = { name: "desk_open", help: "Open desks", type: "gauge", read };
    const desk = definePlugin({ name: "desk", register_metrics: () => slow });
    const rowhouse = await rowhouseFor({ tables, plugins: [desk] });

    const scrapes = [scrape(rowhouse), scrape(rowhouse)];
    await until(() => waiting.length === 2);
    for (const end of waiting) {
      end();
      await new Promise((done) => setTimeout(done, 50));
    }

    for (const text of await Promise.all(scrapes)) expect(sample(text, "desk_open")).to.equal(3);
  });

  it("has every metric that docs/grafana-dashboard.json shows", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const text = await scrape(rowhouse);
    const dashboard = readFileSync(join(ROOT, "docs/grafana-dashboard.json"), "utf8");
    const names = [...dashboard.matchAll(/\b(?:rowhouse|process|nodejs)_[a-z_0-9]+/g)].map(([name]) => name);

    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const missing = names.filter(
      (name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, "")),
    );

    expect(names.length).to.be.above(10);
    expect([...new Set(missing)]).to.deep.equal([]);
  });
});

describe("the metrics port", () => {
  const place = workplace();

  before(() => place.database("library.db"));

  it("serves metrics to all clients, and /-/metrics does not exist", async () => {
    const port = await freePort();
    const server = await place.serve(["library.db", "--default-deny", "--metrics-port", String(port)]);

    await fetch(`${server.url}/library.json`);
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);

    expect(reply.status).to.equal(200);
    expect(await reply.text()).to.include("rowhouse_request_duration_seconds_bucket");
    expect((await fetch(`http://127.0.0.1:${port}/library.json`)).status).to.equal(404);
    expect((await fetch(`${server.url}/-/metrics`)).status).to.equal(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics?from=prometheus`)).status).to.equal(200);
    const posted = await fetch(`http://127.0.0.1:${port}/metrics`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).to.deep.equal([405, "GET, HEAD"]);
    server.process.kill("SIGHUP");
    await until(() => server.said().includes("Reloaded"));
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).to.equal(200);
    expect((await server.stop()).code).to.equal(0);
  });

  it("stops the start with a message if it is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;

    const { code, stderr } = await place.run(["library.db", "-p", "0", "--metrics-port", String(port)]);

    other.close();
    expect(code).to.equal(1);
    expect(stderr).to.include(`Error: Metrics can't be served on 127.0.0.1:${port}: listen EADDRINUSE`);
  });
});
