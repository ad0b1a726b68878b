import { expect } from "chai";
import { Forbidden, StartupError, type Plugin, type Request } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";

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

  it("that fails during a request is named in the log; errors that it passes on keep their plugin", async () => {
    const weak: Plugin = {
      name: "weak",
      wrapHook:
        (run, { hook }) =>
        async (rowhouse, args) => {
          const { request } = args as { request?: Request };
          if (hook === "actor_from_request" && request?.path === "/-/late") throw new TypeError("no luck");
          if (hook === "actor_from_request" && request?.path === "/-/closed") throw new Forbidden("closed");
          return run(rowhouse, args);
        },
    };
    const other: Plugin = {
      name: "other",
      actor_from_request: (_rowhouse, { request }) => {
        if (request.path === "/-/other") throw new TypeError("no hope");
      },
    };
    const rowhouse = await rowhouseFor({ plugins: [weak, other] });

    const statuses = await Promise.all(
      ["/-/late", "/-/closed", "/-/other"].map(async (path) => (await rowhouse.get(path)).status),
    );

    expect(statuses).to.deep.equal([500, 403, 500]);
    const lines = rowhouse.logged.join("\n");
    expect(lines).to.include("Plugin weak failed in wrapHook: no luck");
    expect(lines).to.include("Plugin other failed in actor_from_request: no hope");
    expect(lines).to.not.include("Plugin weak failed in wrapHook: no hope");
  });
});
