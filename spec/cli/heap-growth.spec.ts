import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const MODULE = new URL("../../cli/serve/limit-heap-growth.js", import.meta.url).href;

/** Prints the largest size in MiB. Many objects survive their first collection, so V8 enlarges the space for new ones. Then none is needed. */
const PROGRAM = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { getHeapSpaceStatistics } from "node:v8";
  const { limitHeapGrowth } = await import(${JSON.stringify(MODULE)});
  limitHeapGrowth();
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
  let survivors = [];
  let largest = 0;
  for (let round = 0; round < 60; round++) {
    for (let made = 0; made < 10_000; made++) survivors.push({ made, round: [round] });
    survivors = survivors.slice(-60_000);
    largest = Math.max(largest, size());
    await sleep(0);
  }
  console.log(largest / 1_048_576);
`;

async function largestNewSpaceMiB(options: readonly string[], environment = {}): Promise<number> {
  const words = [...options, "--input-type=module", "--eval", PROGRAM];
  const { NODE_OPTIONS: _inherited, ...inherited } = process.env;
  const env = { ...inherited, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  return Number(stdout);
}

describe("V8's space for new objects", () => {
  it("stops to grow at 8 MiB, of which V8 would take 32", async () => {
    expect(await largestNewSpaceMiB([])).to.be.within(4, 16);
  });

  it("has the size that the operator chose", async () => {
    expect(await largestNewSpaceMiB(["--max-semi-space-size=16"])).to.be.at.least(32);
    const NODE_OPTIONS = "--max-semi-space-size=2";
    expect(await largestNewSpaceMiB([], { NODE_OPTIONS })).to.be.at.most(6);
  });
});
