import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { CommandsInFlight } from "../../../../plugins/sqlite/isolation/in-flight.js";
import { failure } from "../../../harness/failures.js";

const HOUR_MS = 3_600_000;

/** Longer than an interrupted statement may take to stop. */
const UNTIL_KILLED_MS = 600;

interface Calls {
  readonly inFlight: CommandsInFlight;
  isKilled: boolean;
}

function commands(): Calls {
  const calls: Calls = {
    isKilled: false,
    inFlight: new CommandsInFlight({
      cancel: () => undefined,
      stuck: () => void (calls.isKilled = true),
      busy: () => undefined,
    }),
  };
  return calls;
}

describe("a statement whose caller leaves, in a process that gets little processor time", () => {
  it("is killed although the report of its beginning arrives afterwards", async () => {
    const calls = commands();
    const caller = new AbortController();
    const answered = failure(calls.inFlight.add(1, { timeLimitMs: HOUR_MS, signal: caller.signal }));

    caller.abort();
    calls.inFlight.running(1, 5);
    await sleep(UNTIL_KILLED_MS);

    expect((await answered).name).to.equal("QueryInterrupted");
    expect(calls.isKilled).to.equal(true);
    calls.inFlight.failAll(new Error("killed"));
  });

  it("is killed if it began before the process read that the caller left", async () => {
    const calls = commands();
    const caller = new AbortController();
    const first = calls.inFlight.add(1, { timeLimitMs: HOUR_MS });
    const second = failure(calls.inFlight.add(2, { timeLimitMs: HOUR_MS, signal: caller.signal }));

    caller.abort();
    calls.inFlight.resolve(1, { reply: { type: "done", id: 1 }, body: Buffer.alloc(0) });
    calls.inFlight.running(2, 5);
    await sleep(UNTIL_KILLED_MS);

    expect((await first).reply.type).to.equal("done");
    expect((await second).name).to.equal("QueryInterrupted");
    expect(calls.isKilled).to.equal(true);
    calls.inFlight.failAll(new Error("killed"));
  });
});
