import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { childrenOf, isRunning, STUCK } from "../plugins/sqlite/isolation/children.js";
import { launcher, workplace } from "./command.js";

const sqlPath = (sql: string): string => `/a.json?sql=${encodeURIComponent(sql)}`;
const settingWords = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["--setting", name, value]);

describe("the end of a server", function () {
  const place = workplace();
  before(function () {
    if (process.platform !== "linux") this.skip();
    return place.database("a.db");
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`is the end of its processes, by ${signal} and in the middle of a statement`, async () => {
      const server = await place.serve([
        "a.db",
        ...settingWords({ sql_time_limit_ms: "600000", shutdown_grace_ms: "1000" }),
      ]);
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

  it("comes with that of its terminal, which sends the signal of a reload", async () => {
    const command = `exec ${process.execPath} ${launcher} a.db --no-config -p 0 --pid-file terminal.pid`;
    const terminal = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: place.folder,
      stdio: ["pipe", "pipe", "ignore"],
    });
    let printed = "";
    terminal.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    await until(() => printed.includes("Rowhouse running on"));
    const pid = Number(readFileSync(join(place.folder, "terminal.pid"), "utf8"));
    process.kill(pid, "SIGHUP");
    await until(() => printed.includes("Reloaded"));
    expect(isRunning(pid)).to.equal(true);

    terminal.kill("SIGKILL");

    await until(() => !isRunning(pid));
  });

  it("comes within the grace period, whatever its threads do", async () => {
    const settings = { sql_isolation: "thread", shutdown_grace_ms: "2000", sql_time_limit_ms: "600000" };
    const server = await place.serve(["a.db", ...settingWords(settings)]);
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
