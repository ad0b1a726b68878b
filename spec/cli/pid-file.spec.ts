import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace } from "./command.js";

describe("the file of --pid-file", () => {
  const place = workplace();
  const content = (name: string): string => readFileSync(join(place.folder, name), "utf8");

  before(() => place.database("a.db"));

  for (const [what, workers] of [
    ["one process", "1"],
    ["several workers", "2"],
  ] as const) {
    it(`is not written over another file by ${what}`, async () => {
      place.write({ "notes.txt": "notes" });

      const words = ["a.db", "-p", "0", "--workers", workers, "--pid-file", "notes.txt"];
      const { code, stderr } = await place.run(words);

      const path = join(place.folder, "notes.txt");
      expect(stderr).to.equal(
        `Error: --pid-file ${path} exists and does not contain a process id. Choose another path\n`,
      );
      expect(code).to.equal(1);
      expect(content("notes.txt")).to.equal("notes");
    });
  }

  for (const workers of ["1", "2"]) {
    it(`may be in a folder that is gone when the server reloads (workers: ${workers})`, async () => {
      mkdirSync(join(place.folder, "run"));
      const server = await place.serve(["a.db", "--workers", workers, "--pid-file", "run/server.pid"]);
      rmSync(join(place.folder, "run"), { recursive: true });

      server.process.kill("SIGHUP");
      await until(() => server.said().includes("Could not report the reload to `rowhouse reload`: ENOENT"));

      expect(server.said()).to.include("Reloaded: ").and.not.include("    at ");
      expect((await fetch(`${server.url}/a.json`)).status).to.equal(200);
      expect((await server.stop()).code).to.equal(0);
    });
  }

  it("of a server that was killed is written again", async () => {
    place.write({ "server.pid": "99999\n" });

    const server = await place.serve(["a.db", "--pid-file", "server.pid"]);

    expect(content("server.pid")).to.equal(`${server.process.pid}\n`);
    await server.stop();
  });

  it("is waited for by `reload` no longer than --wait says, which is a number", async () => {
    const { code, stderr } = await place.run(["reload", "--pid-file", "server.pid", "--wait", "soon"]);

    expect(stderr).to.match(/Error: Invalid value for '--wait': should be a number of seconds\n$/);
    expect(code).to.equal(2);
  });
});
