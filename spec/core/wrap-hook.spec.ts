import { expect } from "chai";
import { StartupError, type Plugin } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";

/** The message with which the start of a kernel with this wrapper fails. */
async function refusalOf(wrapHook: unknown): Promise<string> {
  const tapping: Plugin = { name: "tapping", startup: () => undefined };
  const { message } = await failure(kernelWith([{ name: "weak", wrapHook } as unknown as Plugin, tapping]));
  return message;
}

const throwing = (error: Error) => (): never => {
  throw error;
};

describe("a wrapper of hook functions", () => {
  it("that returns no function stops the start, with the name of its plugin", async () => {
    const reason = "Plugin weak failed in wrapHook: it returned no function";

    expect(await refusalOf(() => undefined)).to.equal(reason);
    expect(await refusalOf(async (run: unknown) => run)).to.equal(reason);
  });

  it("that throws stops the start, with the name of its plugin unless the error is a StartupError", async () => {
    expect(await refusalOf(throwing(new Error("no luck")))).to.equal(
      "Plugin weak failed in wrapHook: no luck",
    );
    expect(await refusalOf(throwing(new StartupError("Set the option --colour")))).to.equal(
      "Set the option --colour",
    );
  });
});
