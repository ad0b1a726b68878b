import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BENCH = fileURLToPath(new URL("../../bench/run.js", import.meta.url));

/** Runs the bench with words that end it before it measures. */
function bench(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BENCH, ...words], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, stdout, stderr };
}

describe("the command line of the bench", () => {
  it("prints its parts and options on --help", () => {
    const { status, stdout, stderr } = bench("--help");
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
    expect(stdout)
      .to.match(/"first-page"/)
      .and.to.match(/--page-rows/);
  });

  it("refuses unknown options, unknown parts and counts that are none, without a stack trace", () => {
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [["--nope"], /Unknown argument: nope/],
      [["pagse"], /Invalid values:[\s\S]*"pagse"/],
      [["pages", "--rounds", "many"], /--rounds must be a number above 0/],
    ];
    for (const [words, message] of refusals) {
      const { status, stdout, stderr } = bench(...words);
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: "" });
      expect(stderr)
        .to.match(message)
        .and.not.to.match(/^ +at /m);
    }
  });
});
