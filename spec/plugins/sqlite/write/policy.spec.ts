import { expect } from "chai";
import { GroupCommitPolicy } from "../../../../plugins/sqlite/write/queue.js";

interface Commits {
  readonly writes: number;
  readonly commitMs: number;
  /** How many such commits there were. */
  readonly times?: number;
}

function policyAfter(...commits: readonly Commits[]): GroupCommitPolicy {
  const policy = new GroupCommitPolicy();
  for (const { writes, commitMs, times = 1 } of commits) {
    for (let time = 0; time < times; time++) policy.recordCommit({ writes, commitMs });
  }
  return policy;
}

const fast = { writes: 16, commitMs: 0.1 };
const slow = { writes: 16, commitMs: 2, times: 10 };

describe("the group commit policy", () => {
  const sizes: readonly (readonly [string, readonly Commits[], number])[] = [
    ["one write before the first commit", [], 1],
    ["half of the clients on a fast disk", [{ writes: 16, commitMs: 0.4 }], 8],
    ["all clients on a slow disk", [slow], Number.POSITIVE_INFINITY],
    ["half of the clients again when the disk becomes fast", [slow, { ...fast, times: 20 }], 8],
    ["nearly as many after one smaller commit", [fast, { writes: 2, commitMs: 0.1 }], 6],
    ["fewer after clients have left", [fast, { writes: 1, commitMs: 0.01, times: 10 }], 1],
  ];
  for (const [title, commits, size] of sizes) {
    it(`wants ${title} in a batch`, () => {
      expect(policyAfter(...commits).targetBatchSize).to.equal(size);
    });
  }

  const waits: readonly (readonly [string, readonly Commits[], number, number])[] = [
    ["no time if no further write is expected", [slow], 16, 0],
    ["no time for a single client", [{ writes: 1, commitMs: 50, times: 20 }], 1, 0],
    ["a quarter of an average commit", [{ writes: 16, commitMs: 4, times: 50 }], 3, 1],
    ["at most 5 ms", [{ writes: 16, commitMs: 500, times: 50 }], 3, 5],
  ];
  for (const [title, commits, writes, waitMs] of waits) {
    it(`waits ${title}`, () => {
      expect(policyAfter(...commits).waitMs(writes)).to.be.closeTo(waitMs, 0.001);
    });
  }
});
