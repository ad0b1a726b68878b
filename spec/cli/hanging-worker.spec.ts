import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace } from "./command.js";

const PLUGIN = `export default { name: "whoami", register_routes: () =>
  ({ name: "whoami", path: "/-/whoami", target: "instance", view: () => ({ status: 200, headers: {}, body: String(process.pid) }) }) };`;

describe("a worker that hangs", function () {
  this.timeout(120_000);
  const place = workplace();

  it("is killed after half a minute and replaced", async () => {
    await place.database("two.db");
    place.write({ "plugins/whoami.mjs": PLUGIN });
    const server = await place.serve(["two.db", "--plugins-dir", "plugins", "--workers", "2"]);
    const workers = new Set<number>();
    const ask = async (): Promise<number> => {
      const reply = await fetch(`${server.url}/-/whoami`, { headers: { connection: "close" } });
      return Number(await reply.text());
    };
    await until(async () => workers.add(await ask()).size === 2);
    const [hanging = 0, other] = workers;

    process.kill(hanging, "SIGSTOP");
    await until(() => server.said().includes(`The worker ${hanging} hangs and is killed`));
    await until(async () => workers.add(await ask().catch(() => hanging)).size === 3);

    const answering = new Set<number>();
    await until(async () => answering.add(await ask()).size === 2);
    expect(answering).to.include(other).and.not.include(hanging);
    expect(server.said()).to.not.include(`The worker ${other}`);
  });
});
