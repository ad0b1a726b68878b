import { expect } from "chai";
import { readGroups, type Case } from "./cases.js";
import { exceptions } from "./exceptions.js";
import { replay } from "./replay.js";
import { describeFailure, Tally } from "./report.js";
import { ServerPool } from "./server-pool.js";

const groups = readGroups();

describe("recorded exchanges", () => {
  const tally = new Tally();
  const servers = new ServerPool(groups.flatMap(({ cases }) => cases));

  after(async () => {
    await servers.close();
    console.log(`\n${tally.table()}`);
  });

  it("are overridden only where a case of that name exists", () => {
    const names = new Set(groups.flatMap(({ cases }) => cases.map(({ name }) => name)));

    expect([...exceptions.keys()].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  for (const { name, cases } of groups) {
    describe(name, () => {
      for (const recorded of cases) it(recorded.name, () => check(recorded, servers, tally));
    });
  }
});

async function check(recorded: Case, servers: ServerPool, tally: Tally): Promise<void> {
  let passed = false;
  try {
    const failure = await replay(recorded, servers);
    const overridden = exceptions.has(recorded.name);
    if (failure !== null && !overridden) throw new Error(describeFailure(recorded, failure));
    if (failure === null && overridden) throw new Error("passes: take it out of exceptions.json");
    passed = true;
  } finally {
    tally.count(recorded.group, passed);
  }
}
