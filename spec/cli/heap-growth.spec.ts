import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const MODULE = new URL("../../cli/serve/limit-heap-growth.js", import.meta.url).href;

const START = `
  import { PerformanceObserver } from "node:perf_hooks";
  import { setTimeout as sleep } from "node:timers/promises";
  import { getHeapSpaceStatistics } from "node:v8";
  const { limitHeapGrowth } = await import(${JSON.stringify(MODULE)});
  limitHeapGrowth();
  const space = (name) => getHeapSpaceStatistics().find(({ space_name }) => space_name === name);
`;

/** Prints the largest size in MiB. Many objects survive their first collection, so V8 enlarges the space for new ones. Then none is needed. */
const LARGEST_NEW_SPACE = `
  let survivors = [];
  let largest = 0;
  for (let round = 0; round < 60; round++) {
    for (let made = 0; made < 10_000; made++) survivors.push({ made, round: [round] });
    survivors = survivors.slice(-60_000);
    largest = Math.max(largest, space("new_space").space_size);
    await sleep(0);
  }
  console.log(largest / 1_048_576);
`;

/**
 * Prints how many MiB are unused between old objects, after V8 has collected garbage a few times. Of ten objects one
 * stays, on all pages of the heap.
 */
const UNUSED = `
  const MAJOR = 4;
  let collections = 0;
  new PerformanceObserver((list) => {
    collections += list.getEntries().filter(({ detail }) => detail.kind === MAJOR).length;
  }).observe({ entryTypes: ["gc"] });
  let kept = Array.from({ length: 400_000 }, (_, at) => new Array(20).fill(at));
  await sleep(0);
  kept = kept.filter((_, at) => at % 10 === 0);
  const before = collections;
  let passing = [];
  while (collections < before + 2) {
    for (let made = 0; made < 10_000; made++) passing.push({ made: [made] });
    passing = passing.slice(-60_000);
    await sleep(1);
  }
  const { space_size: size, space_used_size: used } = space("old_space");
  console.log((size - used) / 1_048_576, kept.length);
`;

/** The number that the program prints first. */
async function printed(program: string, options: readonly string[], environment = {}): Promise<number> {
  const words = [...options, "--input-type=module", "--eval", START + program];
  const { NODE_OPTIONS: _inherited, ...inherited } = process.env;
  const env = { ...inherited, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  return Number.parseFloat(stdout);
}

const largestNewSpaceMiB = (options: readonly string[], environment = {}): Promise<number> =>
  printed(LARGEST_NEW_SPACE, options, environment);

describe("V8's space for new objects", () => {
  it("stops to grow at 16 MiB, of which V8 would take 32", async () => {
    expect(await largestNewSpaceMiB([])).to.be.within(8, 16);
  });

  it("has the size that the operator chose", async () => {
    expect(await largestNewSpaceMiB(["--max-semi-space-size=16"])).to.be.at.least(32);
    const NODE_OPTIONS = "--max-semi-space-size=2";
    expect(await largestNewSpaceMiB([], { NODE_OPTIONS })).to.be.at.most(6);
  });
});

describe("V8's space for old objects", () => {
  it("has little unused memory after some collections", async () => {
    expect(await printed(UNUSED, [])).to.be.below(16);
  });

  it("is left to V8 if the operator chose so", async () => {
    expect(await printed(UNUSED, ["--compact"])).to.be.above(16);
  });
});
