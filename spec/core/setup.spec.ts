import { expect } from "chai";
import { definePlugin, reply, StartupError, type Plugin } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";

/** Counts the requests to `/-/count` of one server. */
const counter = definePlugin({
  name: "counter",
  setup() {
    let count = 0;
    return {
      register_routes: () => ({
        name: "count",
        path: "/-/count",
        target: "instance",
        view: () => reply.text(String(++count)),
      }),
    };
  },
});

describe("the function setup of a plugin", () => {
  it("gives each server its own state", async () => {
    const [one, other] = await Promise.all([
      rowhouseFor({ plugins: [counter] }),
      rowhouseFor({ plugins: [counter] }),
    ]);

    const bodies = [];
    for (const server of [one, one, other]) bodies.push((await server.get("/-/count")).text);

    expect(bodies).to.deep.equal(["1", "2", "1"]);
  });

  it("runs before the hooks, and its hook functions run in the order of the plugins", async () => {
    const calls: string[] = [];
    const named = (name: string): Plugin =>
      definePlugin({ name, startup: () => void calls.push(`${name} starts`) });
    const between = definePlugin({
      name: "between",
      setup() {
        calls.push("setup");
        return { startup: () => void calls.push("between starts") };
      },
    });

    await kernelWith([named("first"), between, named("last")]);

    expect(calls).to.deep.equal(["setup", "first starts", "between starts", "last starts"]);
  });

  it("taps hooks that are listed together with those of the definition", async () => {
    const kernel = await kernelWith([
      definePlugin({ name: "both", startup: () => undefined, setup: () => ({ shutdown: () => undefined }) }),
    ]);

    expect(kernel.plugins.map(({ hooks }) => hooks)).to.deep.equal([["shutdown", "startup"]]);
  });

  it("replaces the function of the definition if both tap a hook", async () => {
    const calls: string[] = [];
    const twice = definePlugin({
      name: "twice",
      startup: () => void calls.push("definition"),
      setup: () => ({ startup: () => void calls.push("setup") }),
    });

    await kernelWith([twice]);

    expect(calls).to.deep.equal(["setup"]);
  });

  it("may return nothing, and may have its former name apply; the first plugin is the last, so its services are used", async () => {
    const provided: string[] = [];
    await kernelWith([
      definePlugin({ name: "new", setup: () => void provided.push("setup") }),
      definePlugin({ name: "old", apply: () => void provided.push("apply") }),
    ]);

    // The first plugin comes last, so that its services are used.
    expect(provided).to.deep.equal(["apply", "setup"]);
  });

  it("stops the start when it throws, with the name of the plugin unless the error is a StartupError", async () => {
    const boom = definePlugin({
      name: "weak",
      setup: () => {
        throw new Error("no luck");
      },
    });
    const refusal = definePlugin({
      name: "strict",
      setup: () => {
        throw new StartupError("Set the option --colour");
      },
    });

    expect((await failure(kernelWith([boom]))).message).to.equal("Plugin weak failed in setup: no luck");
    expect((await failure(kernelWith([refusal]))).message).to.equal("Set the option --colour");
  });

  for (const [returned, what] of [
    [() => ({ startup: () => undefined }), "a function"],
    [[{ startup: () => undefined }], "a list"],
    [3, "a number"],
  ] as const)
    it(`stops the start when it returns no object of hooks: ${what}`, async () => {
      const plugin = { name: "odd", setup: () => returned } as unknown as Plugin;

      expect((await failure(kernelWith([plugin]))).message).to.equal(
        `Plugin odd failed in setup: it returned ${what} instead of an object of hook functions`,
      );
    });

  it("stops the start when it returns a hook that does not exist", async () => {
    const plugin = { name: "typo", setup: () => ({ start_up: () => undefined }) } as unknown as Plugin;

    expect((await failure(kernelWith([plugin]))).message).to.equal(
      "Plugin typo taps an unknown hook: start_up, did you mean startup?",
    );
  });
});
