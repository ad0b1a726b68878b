import { execFileSync } from "node:child_process";
import { Agent, request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { expect } from "chai";
import { workplace } from "../cli/command.js";
import { canCountOpenFiles, openFiles } from "./open-files.js";

const USUAL = 1_024;

/** False where the system does not let us. */
function limitOpenFiles(pid: number, limit: number): boolean {
  try {
    execFileSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("A server without free file descriptors", () => {
  const place = workplace();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  const statusOf = async (url: string): Promise<number | undefined> => {
    const [reply] = (await once(request(url, { agent }).end(), "response")) as [IncomingMessage];
    await once(reply.resume(), "end");
    return reply.statusCode;
  };

  it("refuses what needs files with 503, and serves it when it has some again", async function () {
    if (!canCountOpenFiles) return this.skip();
    await place.database("data.db");
    const server = await place.serve(["data.db", "--no-config"]);
    const pid = server.process.pid ?? 0;
    expect(await statusOf(`${server.url}/-/static/app.css`)).to.equal(200);

    if (!limitOpenFiles(pid, openFiles(pid))) return this.skip();
    const page = await statusOf(`${server.url}/data/t`);
    const file = await statusOf(`${server.url}/-/static/app.css`);
    limitOpenFiles(pid, USUAL);

    expect([page, file]).to.deep.equal([503, 503]);
    expect(await statusOf(`${server.url}/-/static/app.css`)).to.equal(200);
    expect(await statusOf(`${server.url}/data/t`)).to.equal(200);
  });
});
