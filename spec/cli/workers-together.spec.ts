import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace, type Serving } from "./command.js";

const LIMIT = 30;

const PLUGIN = `export default { name: "whoami", register_routes: () => ({
  name: "whoami", path: "/-/whoami", view: () => ({ status: 200, headers: {}, body: String(process.pid) }) }) };`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Each request has a connection of its own: the first process gives connections to the workers in turn. */
const ask = async ({ url }: Serving): Promise<Response> =>
  fetch(`${url}/-/whoami`, { headers: { connection: "close" } });

describe("workers together", function () {
  this.timeout(120_000);
  const place = workplace();
  let server: Serving;
  let metrics = "";

  const samples = async (name: string): Promise<readonly number[]> => {
    const text = await (await fetch(metrics)).text();
    return text
      .split("\n")
      .filter((line) => line.startsWith(name))
      .map((line) => Number(line.split(" ").at(-1)));
  };

  before(async () => {
    await place.database("a.db");
    place.write({ "plugins/whoami.mjs": PLUGIN });
    const port = await freePort();
    metrics = `http://127.0.0.1:${port}/metrics`;
    const words = ["--workers", "2", "--metrics-port", String(port), "--plugins-dir", "plugins"];
    const settings = ["-s", "max_requests", String(LIMIT), "-s", "limit_window_seconds", "3600"];
    server = await place.serve(["a.db", "--no-config", ...words, ...settings]);
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

  it("answer with the metrics of all of them, before and after a reload", async () => {
    const [before = 0] = await samples(
      'rowhouse_request_duration_seconds_count{route="none",method="GET",status="429"',
    );
    for (let turn = 0; turn < 6; turn += 1) await ask(server);

    const count = async (): Promise<number> =>
      (await samples('rowhouse_request_duration_seconds_count{route="none",method="GET",status="429"'))[0] ??
      0;
    await until(async () => (await count()) === before + 6);
    expect(await samples("rowhouse_info")).to.deep.equal([1]);
  });
});
