import { expect } from "chai";
import { until } from "../harness/until.js";
import { childrenOf, isRunning, STUCK } from "../plugins/sqlite/isolation/children.js";
import { workplace } from "./command.js";

const sqlPath = (sql: string): string => `/a.json?sql=${encodeURIComponent(sql)}`;

describe("the end of a server", function () {
  const place = workplace();
  before(function () {
    if (process.platform !== "linux") this.skip();
    return place.database("a.db");
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`is the end of its processes, by ${signal} and in the middle of a statement`, async () => {
      const server = await place.serve(["a.db", "--setting", "sql_time_limit_ms", "600000"]);
      const pid = server.process.pid ?? 0;
      const asked = fetch(server.url + sqlPath(STUCK)).catch(() => null);
      await until(() => childrenOf(pid).length > 0);
      const children = childrenOf(pid);

      server.process.kill(signal);
      await server.ended;
      await asked;

      await until(() => !children.some(isRunning));
    });
  }

  it("comes within the grace period, whatever its threads do", async () => {
    const settings = { sql_isolation: "thread", shutdown_grace_ms: "2000", sql_time_limit_ms: "600000" };
    const words = Object.entries(settings).flatMap(([name, value]) => ["--setting", name, value]);
    const server = await place.serve(["a.db", ...words]);
    const asked = fetch(server.url + sqlPath(STUCK)).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const began = performance.now();

    server.process.kill("SIGTERM");
    await server.ended;
    await asked;

    expect(performance.now() - began).to.be.below(30_000);
    expect(server.said()).to.include("Still busy 2000 ms after the signal to end: killed");
  });
});
