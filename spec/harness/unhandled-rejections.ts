import { setImmediate } from "node:timers/promises";
import { expect } from "chai";

/** Fails each spec of a `describe` that leaves a rejection unhandled. Mocha ignores them; other programs end. */
export function expectNoUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  before(() => process.on("unhandledRejection", record));
  afterEach(async () => {
    await setImmediate();
    expect(unhandled.splice(0)).to.deep.equal([]);
  });
  after(() => process.removeListener("unhandledRejection", record));
}
