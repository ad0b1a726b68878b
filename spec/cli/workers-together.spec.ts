import { expect } from "chai";
import { freePort } from "../harness/free-port.js";
import { until } from "../harness/until.js";
import { workplace, type Serving } from "./command.js";

/** Enough for the requests of a spec that waits for something. */
const LIMIT = 300;

/** Runs until its time limit. */
const LONG = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

const PLUGIN = `export default { name: "whoami",
  register_metrics: () => ({ name: "desk_ratio", help: "0 of 0", type: "gauge", read: () => 0 / 0 }),
  register_routes: () => ({
  name: "whoami", path: "/-/whoami", view: () => ({ status: 200, headers: {}, body: String(process.pid) }) }) };`;

/** More than fits into the buffers of a connection. */
const LARGE = `create table t (id integer primary key, a); with recursive n(i) as
  (select 1 union all select i + 1 from n where i < 60000) insert into t select i, hex(zeroblob(200)) from n`;

const REFUSED = 'rowhouse_request_duration_seconds_count{route="none",method="GET",status="429"';

const OTHER_CLIENT = { connection: "close", "x-forwarded-for": "203.0.113.9" };

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Each request has a connection of its own: the first process gives connections to the workers in turn. */
const ask = async ({ url }: Serving): Promise<Response> =>
  fetch(`${url}/-/whoami`, { headers: { connection: "close" } });

describe("workers together", function () {
  this.timeout(120_000);
  const place = workplace();
  let server: Serving;
  let metrics = "";

  /** The values of the series whose name and labels begin so. */
  const seriesOf = async (beginning: string): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(metrics, { headers: { connection: "close" } })).text();
    const lines = text.split("\n").filter((line) => line.startsWith(beginning));
    return new Map(lines.map((line) => line.split(" ")).map(([name = "", value]) => [name, Number(value)]));
  };
  const samples = async (name: string): Promise<readonly number[]> => [...(await seriesOf(name)).values()];

  const runningSqlProcesses = async (): Promise<number> =>
    sum(await samples('rowhouse_sql_processes_total{state="started"')) -
    sum(await samples('rowhouse_sql_processes_total{state="ended"'));

  before(async () => {
    await place.database("a.db");
    await place.database("large.db", LARGE);
    place.write({ "plugins/whoami.mjs": PLUGIN });
    const port = await freePort();
    metrics = `http://127.0.0.1:${port}/metrics`;
    const words = ["--workers", "2", "--metrics-port", String(port), "--plugins-dir", "plugins"];
    const settings = ["-s", "max_requests", String(LIMIT), "-s", "limit_window_seconds", "3600"];
    const sql = ["-s", "max_sql_at_once", "2", "-s", "sql_time_limit_ms", "60000"];
    server = await place.serve(["a.db", "large.db", "--no-config", ...words, ...settings, ...sql]);
  });

  it("count the requests of a client, and reload without a new count", async () => {
    const pids = new Set<string>();
    for (let turn = 0; turn < LIMIT; turn += 1) {
      const reply = await ask(server);
      expect(reply.status).to.equal(200);
      pids.add(await reply.text());
    }
    const refused = [await ask(server), await ask(server), await ask(server), await ask(server)];
    server.process.kill("SIGHUP");
    await until(() => server.said().includes("Reloaded"));
    const later = [await ask(server), await ask(server)];

    expect(pids).to.have.property("size", 2);
    expect(refused.map(({ status }) => status)).to.deep.equal([429, 429, 429, 429]);
    expect(later.map(({ status }) => status)).to.deep.equal([429, 429]);
  });

  it("run as much SQL of a client as it may have if it sends more at the same time", async () => {
    const headers = { connection: "close", "x-forwarded-for": "203.0.113.8" };
    const run = async (number: number): Promise<number> => {
      const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select count(*), ${number} from n`;
      const reply = await fetch(`${server.url}/a.json?sql=${encodeURIComponent(sql)}`, { headers });
      await reply.arrayBuffer();
      return reply.status;
    };
    for (let round = 0; round < 4; round += 1) {
      const statuses = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => run(8 * round + number)));
      expect(statuses.filter((status) => status === 200).length, String(statuses)).to.be.at.least(2);
    }
  });

  it("count the SQL of a client that runs at the same time", async () => {
    const leaving = new AbortController();
    // Another client than that of the other tests.
    const headers = { connection: "close", "x-forwarded-for": "203.0.113.7" };
    const run = async (sql: string): Promise<string> => {
      const url = `${server.url}/a.json?sql=${encodeURIComponent(sql)}`;
      return (await fetch(url, { headers, signal: leaving.signal })).text();
    };
    const runLong = async (): Promise<string> => {
      const text = await run(LONG).catch(() => "left");
      // The short statement below may have taken its place.
      return text.includes("Too many SQL queries at once") ? runLong() : text;
    };
    const long = [runLong(), runLong()];
    const refused: boolean[] = [];
    // Connections go to the workers in turn, each of which has one of the long statements.
    await until(async () => {
      refused.push((await run("select 1")).includes("Too many SQL queries at once"));
      return refused.at(-1) === true && refused.at(-2) === true;
    });
    leaving.abort();

    expect(await Promise.all(long)).to.deep.equal(["left", "left"]);
  });

  it("answer with the metrics of all of them, before and after a reload", async () => {
    const before = sum(await samples(REFUSED));
    for (let turn = 0; turn < 6; turn += 1) await ask(server);

    await until(async () => sum(await samples(REFUSED)) === before + 6);
    expect(await samples("rowhouse_info")).to.deep.equal([1]);
    expect(await samples("rowhouse_workers")).to.deep.equal([2]);
  });

  it("count a reply that is sent across a reload, and its open stream meanwhile", async () => {
    const csv =
      'rowhouse_request_duration_seconds_count{route="table",method="GET",status="200",format="csv"';
    const { body } = await fetch(`${server.url}/large/t.csv?_stream=on`, { headers: OTHER_CLIENT });
    const said = server.said().length;
    server.process.kill("SIGHUP");
    await until(() => server.said().includes("Reloaded", said));
    const during = [await samples('rowhouse_sql_open_streams{database="large"'), await samples(csv)];
    await body?.cancel();

    expect(during.map(sum)).to.deep.equal([1, 0]);
    await until(async () => sum(await samples(csv)) === 1);
  });

  it("have the metrics of plugins, also one that is no number", async () => {
    expect(await samples("desk_ratio")).to.deep.equal([NaN]);
  });

  it("count each for itself, so that Prometheus counts nothing twice when one is killed", async () => {
    const one = await fetch(`${server.url}/-/whoami`, { headers: OTHER_CLIENT });
    const before = await seriesOf(REFUSED);
    process.kill(Number(await one.text()), "SIGKILL");
    await until(() => server.said().includes("is replaced"));
    const after = await seriesOf(REFUSED);

    // As `increase` does: what has fallen has begun at 0.
    const increases = [...after].map(([series, count]) => {
      const earlier = before.get(series) ?? 0;
      return count >= earlier ? count - earlier : count;
    });
    expect(sum(increases)).to.equal(0);
    expect(before.size).to.equal(2);
  });

  it("still know after a reload how many processes for SQL run", async () => {
    await until(async () => sum(await samples("rowhouse_workers")) === 2);
    await fetch(`${server.url}/a.json?sql=select+7`, { headers: OTHER_CLIENT });
    const before = await runningSqlProcesses();
    const said = server.said().length;

    server.process.kill("SIGHUP");
    await until(() => server.said().slice(said).includes("Reloaded"));

    expect(before).to.be.above(0);
    expect(await runningSqlProcesses()).to.equal(before);
  });
});
