import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ReusedTimer } from "../../../../plugins/sqlite/isolation/reused-timer.js";

const SHORT_MS = 5;
const HOUR_MS = 3_600_000;

/** A timer with what it has called. */
function timer(): {
  readonly timer: ReusedTimer;
  readonly calls: string[];
  called(name: string): () => void;
} {
  const calls: string[] = [];
  return { timer: new ReusedTimer(), calls, called: (name) => () => void calls.push(name) };
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await sleep(1);
};

describe("a timer that is set for each statement", () => {
  it("calls what it was set to last, once", async () => {
    const { timer: reused, calls, called } = timer();

    reused.set(SHORT_MS, called("first"));
    reused.set(SHORT_MS, called("second"));
    await until(() => calls.length > 0);
    await sleep(3 * SHORT_MS);

    expect(calls).to.deep.equal(["second"]);
  });

  it("can be set again after it has called, with the same time or another", async () => {
    const { timer: reused, calls, called } = timer();

    for (const [index, afterMs] of [SHORT_MS, SHORT_MS, 2 * SHORT_MS].entries()) {
      reused.set(afterMs, called(String(index)));
      await until(() => calls.length > index);
    }

    expect(calls).to.deep.equal(["0", "1", "2"]);
  });

  it("calls nothing after it was stopped or ended", async () => {
    const { timer: reused, calls, called } = timer();

    reused.set(SHORT_MS, called("stopped"));
    reused.stop();
    reused.restart();
    await sleep(3 * SHORT_MS);
    reused.set(SHORT_MS, called("ended"));
    reused.end();
    await sleep(3 * SHORT_MS);

    expect([calls, reused.isSet]).to.deep.equal([[], false]);
  });

  it("takes times that are longer than a timer of Node can be", async () => {
    const { timer: reused, calls, called } = timer();

    reused.set(HOUR_MS * 1_000_000, called("too soon"));
    await sleep(3 * SHORT_MS);
    reused.end();

    expect(calls).to.deep.equal([]);
  });
});
