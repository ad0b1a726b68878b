import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** Runs a script of `bench/` to its end. */
const run = (name: string, words: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(`../../bench/${name}.js`, import.meta.url));
    execFile(process.execPath, [path, ...words], (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout }),
    );
  });

describe("a server that runs for long", function () {
  this.timeout(180_000);
  before(function () {
    if (process.platform !== "linux") this.skip();
  });

  it("loses no acknowledged row and gives no unexpected reply under mixed load, reloads and killed workers", async () => {
    const { code, stdout } = await run("soak", ["--seconds", "4"]);

    expect(stdout)
      .to.match(/^rows lost +0$/m)
      .and.match(/^unexpected replies +0$/m);
    expect(Number(/^workers killed +(\d+)$/m.exec(stdout)?.[1])).to.be.above(0);
    expect(Number(/^reloads +(\d+)$/m.exec(stdout)?.[1])).to.be.above(0);
    expect(code).to.equal(0);
  });

  it("loses no acknowledged row when its file is damaged or replaced, and put back", async () => {
    const names = ["file replaced", "file truncated", "page corrupt"];
    const { code, stdout } = await run("faults", ["--times", "2", ...names]);

    for (const name of names)
      expect(stdout).to.match(new RegExp(`^${name} +2 times, \\d+ rows acknowledged, 0 lost$`, "m"));
    expect(code).to.equal(0);
  });
});
